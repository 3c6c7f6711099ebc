/** The hook workbench as a program: what it runs and prints, and that it changes no thread. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createHeddle } from "../../src/index.ts";
import { MCP_PROGRAM } from "../conformance/mcp-program.ts";
import { Child } from "../support/child.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

const GUARD = `grep -q 'rm -rf' && { echo ask first >&2; exit 2; } || true`;
const hooksFile = (hooks: object) => JSON.stringify({ hooks });
const on = (event: string, command: string, matcher?: string) => ({
  [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: "command", command }] }],
});

async function open(hooks: object, config = "") {
  const home = await createTempHome({ config });
  onTestFinished(() => home.remove());
  await home.write("home/hooks.json", hooksFile(hooks));
  async function heddle(args: readonly string[], input?: string) {
    const child = new Child({
      command: HEDDLE.command,
      args: [...HEDDLE.args, "hooks", ...args],
      cwd: home.workspace,
      env: serverEnvironment(home),
    });
    if (input !== undefined) child.write(input);
    child.endInput();
    const { code } = await child.exit;
    return { code, stdout: child.stdout, stderr: child.stderr };
  }
  return { home, heddle };
}

const dangerous = JSON.stringify({ command: "rm -rf build" });

test("an event is tried: why hooks do not run, what they say, what would come of it", async () => {
  const { heddle, home } = await open({
    ...on("PreToolUse", GUARD, "Bash"),
    ...on("Stop", "true"),
  });
  const asked = ["test", "PreToolUse", "--input", dangerous];
  const passed = await heddle(asked);
  expect(passed.stdout).toContain("does not run: it is not trusted");
  expect(passed.stdout).toContain(`\`heddle hooks trust ${home.home}/hooks.json:pre_tool_use:0:0\``);
  expect(passed.stdout).toContain("try it as it is with --untrusted");
  expect(passed).toMatchObject({ code: 1, stderr: "" });
  const blocked = await heddle([...asked, "--untrusted"]);
  expect(blocked.stdout).toContain("-> the call would be blocked: ask first");
  expect(blocked.stdout).toContain("does not run: it is about Stop");
  expect(blocked.code).toBe(2);
  const printed = await heddle([...asked, "--untrusted", "--json"]);
  expect(JSON.parse(printed.stdout)).toMatchObject({
    isBlocked: true,
    would: ["the call would be blocked: ask first"],
    runs: [{ status: "blocked", result: { exitCode: 2 } }],
    hooks: [{ isRun: true }, { isRun: false, whyNot: "otherEvent" }],
  });
  expect((await heddle(["trust", "--yes"])).code).toBe(0);
  const pins = readFileSync(join(home.home, "hook-pins.json"), "utf8");
  expect((await heddle(asked)).code).toBe(2);
  expect(readFileSync(join(home.home, "hook-pins.json"), "utf8")).toBe(pins);
});

test("a guard whose definition has changed ends a test with 1, and the file that has changed is named", async () => {
  const { heddle, home } = await open(on("PreToolUse", GUARD, "Bash"));
  const asked = ["test", "PreToolUse", "--input", dangerous];
  await heddle(["trust", "--yes"]);
  await home.write("home/hooks.json", hooksFile(on("PreToolUse", `${GUARD};`, "Bash")));
  const why = `does not run: its definition in ${home.home}/hooks.json has changed since it was trusted`;
  const tried = await heddle(asked);
  expect(tried.code).toBe(1);
  expect(tried.stdout).toContain(why);
  const command = `heddle hooks trust ${home.home}/hooks.json:pre_tool_use:0:0`;
  expect(JSON.parse((await heddle([...asked, "--json"])).stdout)).toMatchObject({
    hooks: [{ whyNot: "skipped", remedy: expect.stringContaining(command) }],
  });
  const listed = await heddle(["list"]);
  expect(listed.stdout).toContain(why);
  expect(listed.stdout).toContain(`look at it, and then: ${command}`);
  const timed = await heddle(["bench", "PreToolUse", "--runs", "1"]);
  expect(timed.stderr).toContain("1 hook lacks trust and does not run");
});

test("what is wrong with a command line is a failure, and not a block", async () => {
  const { heddle } = await open({});
  expect(await heddle(["test", "Nothing"])).toMatchObject({ code: 1, stdout: "" });
  expect(await heddle(["test", "Stop", "--nothing"])).toMatchObject({ code: 1 });
  expect((await heddle(["test", "Stop", "--prompt", "hi"])).stderr).toContain("Stop has no field prompt");
  const wrong = await heddle(["test", "UserPromptSubmit", "--from", "-"], '{"prompt":1}');
  expect(wrong.stderr).toContain("`prompt`: expected a string; got 1");
});

test("to try a hook pins nothing", async () => {
  const { heddle, home } = await open(on("Stop", "true"));
  await heddle(["test", "Stop", "--untrusted"]);
  expect(existsSync(join(home.home, "hook-pins.json"))).toBe(false);
  expect(existsSync(join(home.home, "sessions"))).toBe(false);
});

test("a stored thread is replayed, and is as it was", async () => {
  const model = await openScriptedModel([
    reply("1", functionCallDone("call_1", "exec_command", { cmd: "echo rm -rf nothing" })),
    messageReply("Done", { id: "2" }),
  ]);
  onTestFinished(() => model.close());
  const { heddle, home } = await open(
    on("UserPromptSubmit", "echo remember"),
    modelConfig(model.url).replace("read-only", "danger-full-access"),
  );
  await heddle(["trust", "--yes"]);
  const server = await createHeddle({
    home: home.home,
    cwd: home.workspace,
    env: { HOME: home.user, PATH: process.env["PATH"] },
  });
  const client = await server.connect();
  const { thread } = await client.thread.start({});
  await client.runTurn({ threadId: thread.id, input: [{ type: "text", text: "Go" }] });
  await server.close();
  const file = rolloutOf(join(home.home, "sessions"));
  const before = readFileSync(file, "utf8");

  await home.write(
    "home/hooks.json",
    hooksFile({ ...on("UserPromptSubmit", "echo forget"), ...on("PreToolUse", GUARD) }),
  );
  await heddle(["trust", "--yes"]);
  const refused = await heddle(["replay", thread.id]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("nothing was run");
  const shown = await heddle(["replay", thread.id, "--yes"]);
  expect(shown.stdout).toContain("context: remember -> forget");
  expect(shown.stdout).toContain("was not blocked, would be: ask first");
  expect(shown.stdout).toContain("not rebuilt from a record: SessionStart of a resumed session");
  expect(shown.stdout).toMatch(/10 moments: 2 differ, 1 would be blocked\n$/u);
  const printed = JSON.parse((await heddle(["replay", thread.id, "--yes", "--json"])).stdout) as {
    moments: { event: string }[];
  };
  expect(printed.moments.map(({ event }) => event)).toEqual([
    "SessionStart",
    "UserPromptSubmit",
    "PreModelRequest",
    "PostModelRequest",
    "PreModelRequest",
    "PostModelRequest",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SessionEnd",
  ]);
  const requests = await heddle(["test", "PostModelRequest", "--thread", thread.id, "--json"]);
  const [first] = JSON.parse(requests.stdout) as { input: object }[];
  expect(first?.input).toMatchObject({
    model: "mock-model",
    status: "completed",
    token_usage: { total_tokens: expect.any(Number) },
  });
  const tried = await heddle(["test", "PreToolUse", "--thread", thread.id]);
  expect(tried.code).toBe(2);
  expect(readFileSync(file, "utf8")).toBe(before);
});

const MEMO = (home: string) => `[mcp_servers.memo]\ncommand = "node"\nargs = ["${home}/memo.mjs"]\n`;
const handlers = (event: string, ...hooks: readonly object[]) => ({ [event]: [{ hooks }] });

test("tools of MCP servers are called, and models are asked", async () => {
  const verdict = JSON.stringify({ ok: false, reason: "not on a Friday" });
  const model = await openScriptedModel([messageReply(verdict, { id: "1" })]);
  onTestFinished(() => model.close());
  const { heddle, home } = await open(
    handlers(
      "UserPromptSubmit",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the hook's own placeholder
      { type: "mcp_tool", server: "memo", tool: "echo", input: { message: "said ${prompt}" } },
      { type: "prompt", prompt: "Is it well? $ARGUMENTS" },
    ),
  );
  await home.write("home/memo.mjs", MCP_PROGRAM);
  await home.write("home/config.toml", `${modelConfig(model.url)}\n${MEMO(home.home)}`);
  const tried = await heddle(["test", "UserPromptSubmit", "--prompt", "hi", "--untrusted"]);
  expect(tried.stdout).toContain("said hi");
  expect(tried.stdout).toContain("-> the prompt would be blocked: not on a Friday");
  expect(tried).toMatchObject({ code: 2, stderr: "" });
  expect(JSON.stringify(model.requests[0]?.body)).toContain("Is it well?");
});

test("a hook that cannot be run is not taken for one that says nothing", async () => {
  const model = await openScriptedModel([{ status: 400, body: { error: { message: "no such key" } } }]);
  onTestFinished(() => model.close());
  const { heddle } = await open(
    handlers(
      "UserPromptSubmit",
      { type: "mcp_tool", server: "nobody", tool: "echo" },
      { type: "mcp_tool", server: "broken", tool: "echo" },
      { type: "prompt", prompt: "Is it well?" },
    ),
    `${modelConfig(model.url)}\n[mcp_servers.broken]\ncommand = "/nowhere/at/all"\n`,
  );
  const { stdout, code } = await heddle(["test", "UserPromptSubmit", "--prompt", "hi", "--untrusted"]);
  expect(stdout).toContain("could not be run: no MCP server is called nobody");
  expect(stdout).toContain("could not be run: the MCP server broken does not start");
  expect(stdout).toMatch(/could not be run: its model cannot be asked: .*no such key/u);
  expect(stdout).toMatch(/-> what would come of it is not known: 3 hooks could not be run\n$/u);
  expect(code).toBe(1);
});

test("the help says what must be named", async () => {
  const { heddle } = await open({});
  expect((await heddle(["test", "--help"])).stdout).toContain("Usage: heddle hooks test [OPTIONS] <EVENT>");
  expect((await heddle(["trust", "--help"])).stdout).toContain(
    "Usage: heddle hooks trust [OPTIONS] [KEY...]",
  );
});

test("the time of hooks is measured", async () => {
  const { heddle } = await open(on("Stop", "true"));
  const { stdout, code } = await heddle(["bench", "Stop", "--runs", "3", "--untrusted"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/ ms .* ms +0 {2}true\n.* ms .* ms +0 {2}all at once\n$/u);
});

function rolloutOf(folder: string): string {
  const [name] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((each) =>
    each.endsWith(".jsonl"),
  );
  return join(folder, name ?? "");
}
