import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Child } from "../support/child.ts";
import { serverEnvironment, startServer } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

const DEFAULT_URL = "ws://127.0.0.1:4510";

interface Block {
  readonly file: string;
  readonly language: string;
  readonly code: string;
}

const files = [
  "README.md",
  ...readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];
const blocks: Block[] = files.flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
    ([, language = "", code = ""]) => ({
      file,
      language,
      code,
    }),
  ),
);
const ofLanguage = (wanted: string) => blocks.filter(({ language }) => language === wanted);

/** Runs a program from within the package, where it can import the package by its name. */
async function runScript(
  code: string,
  name: string,
  env: Readonly<Record<string, string>>,
  { args = [], input = "" }: { readonly args?: readonly string[]; readonly input?: string } = {},
) {
  const folder = resolve(".cache", "documents");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name.replace(/\W+/g, "-")}.mjs`);
  writeFileSync(file, code);
  const child = new Child({ command: process.execPath, args: [file, ...args], cwd: folder, env });
  child.write(input);
  child.endInput();
  const { code: exitCode } = await child.exit;
  return { exitCode, stdout: child.stdout, stderr: child.stderr };
}

describe("the documents", () => {
  test.each(ofLanguage("js"))("the program in $file runs", async ({ file, code }) => {
    const server = await startServer({ transport: "ws" });
    onTestFinished(() => server.stop().then(() => {}));
    const here = code.replaceAll(DEFAULT_URL, `ws://${server.address}`);
    const { exitCode, stdout, stderr } = await runScript(here, file, serverEnvironment(server.home));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/completed\n$/);
  });

  const [hookFiles, messages] = [true, false].map((wanted) =>
    ofLanguage("json").filter(({ code }) => "hooks" in (JSON.parse(code) as object) === wanted),
  );

  test.each([
    ...(hookFiles ?? []).map((block) => ({ ...block, name: "hooks.json" })),
    ...ofLanguage("toml")
      .filter(({ code }) => code.includes("[[hooks."))
      .map((block) => ({ ...block, name: "config.toml" })),
  ])("the hooks in $file are read without a complaint: $name", async ({ code, name }) => {
    const home = await createTempHome();
    onTestFinished(() => home.remove());
    await home.write(`home/${name}`, code);
    const server = await startServer({ home });
    onTestFinished(() => server.stop().then(() => {}));
    const client = await server.connect();
    await client.result("initialize", { clientInfo: { name: "reader", version: "1" } });
    const listed = await client.result("hooks/list", { cwds: [home.workspace] });
    expect(listed).toMatchObject({
      data: [{ hooks: [{ eventName: "preToolUse", matcher: "Bash" }], warnings: [], errors: [] }],
    });
  });

  test.each(messages ?? [])("the message in $file is taken by the server", async ({ code }) => {
    const server = await startServer();
    onTestFinished(() => server.stop().then(() => {}));
    const client = await server.connect();
    client.wire.send(JSON.stringify(JSON.parse(code)));
    const { id } = JSON.parse(code) as { id: number };
    expect(await client.response(id)).toHaveProperty("result");
  });

  test("every link between documents leads somewhere", () => {
    const missing = [...files, "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"].flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
        .map(([, target = ""]) => resolve(file, "..", target))
        .filter((target) => !readdirSync(resolve(target, "..")).includes(target.split("/").at(-1) ?? "")),
    );
    expect(missing).toEqual([]);
  });
});

/** It waits for input on stdin, as hooks do. */
const HOOK_EXAMPLE = "04-one-hook-for-two-harnesses.mjs";

test.each(readdirSync("examples").filter((each) => each !== HOOK_EXAMPLE))(
  "the example %s runs, finds what it expects, and leaves the user's home alone",
  async (name) => {
    const home = await createTempHome();
    onTestFinished(() => home.remove());
    const before = readdirSync(home.home);
    const code = readFileSync(join("examples", name), "utf8");
    const { exitCode, stderr } = await runScript(code, name, serverEnvironment(home));
    expect({ exitCode, stderr, home: readdirSync(home.home) }).toEqual({
      exitCode: 0,
      stderr: "",
      home: before,
    });
  },
);

test.each(["codex", "claude"])("the example of a hook is one of %s", async (adapter) => {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  const code = readFileSync(join("examples", HOOK_EXAMPLE), "utf8");
  const recorded = JSON.parse(readFileSync(`fixtures/lifecycle/native/${adapter}.json`, "utf8")) as {
    hook: string;
    input: object;
  }[];
  const answers: Record<string, unknown> = {};
  for (const hook of ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"]) {
    const input = JSON.stringify(recorded.find((each) => each.hook === hook)?.input);
    const command = { tool_input: { command: "rm -rf /" } };
    const harmful = hook === "PreToolUse" ? JSON.stringify({ ...JSON.parse(input), ...command }) : input;
    const outcome = await runScript(code, `${adapter}-${hook}`, serverEnvironment(home), {
      args: [adapter],
      input: harmful,
    });
    expect([hook, outcome.exitCode, outcome.stderr]).toEqual([hook, 0, ""]);
    answers[hook] = JSON.parse(outcome.stdout);
  }
  expect(answers).toEqual({
    SessionStart: {
      hookSpecificOutput: {
        hookEventName: "SessionStart",
        additionalContext: expect.stringContaining("\nRun the tests with `npm test`.\n"),
      },
    },
    UserPromptSubmit: {},
    PreToolUse: {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "Nothing is deleted here without a person.",
      },
    },
    Stop: { decision: "block", reason: "Run the tests and say what they say." },
    SessionEnd: {},
  });
  const unknown = await runScript(code, adapter, serverEnvironment(home), { args: [adapter], input: "{}" });
  expect(unknown).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringContaining("names no hook"),
  });
});

test("npm start serves, says how to connect, and ends well on Ctrl-C", async () => {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  const npm = spawn("npm", ["start", "--silent", "--", "--listen", "ws://127.0.0.1:0"], {
    env: serverEnvironment(home),
    detached: true,
  });
  let said = "";
  let printed = "";
  npm.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const exit = new Promise((done) => npm.once("close", done));
  await new Promise<void>((ready) => {
    npm.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("does not wait.\n")) ready();
    });
  });
  const banner = said;
  expect(said).toMatch(/listening on +ws:\/\/127\.0\.0\.1:\d+\n/);
  expect(said).toContain(home.home);
  expect(said).toMatch(/codex --remote ws:\/\/127\.0\.0\.1:\d+\n/);
  // Ctrl-C reaches npm and its shell as well, so the exit code is theirs; only the silent exit of all three
  // is checked.
  process.kill(-(npm.pid ?? 0), "SIGINT");
  await exit;
  expect([said, printed]).toEqual([banner, ""]);
});
