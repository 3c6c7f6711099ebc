/** `heddle lifecycle` as programs call it: output, exit codes and effects. */
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Child } from "../support/child.ts";
import { testWith } from "../support/needs-program.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

let home: TempHome;
beforeEach(async () => {
  home = await createTempHome();
  onTestFinished(() => home.remove());
});

async function lifecycle(args: readonly string[], stdin: unknown = "") {
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, "lifecycle", ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  child.write(typeof stdin === "string" ? stdin : JSON.stringify(stdin));
  child.endInput();
  const { code } = await child.exit;
  const reports = child.stderr
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  return { code, stdout: child.stdout, stderr: child.stderr, reports };
}

const inWorkspace = (path: string) => join(home.workspace, path);

function put(path: string, text: string): void {
  mkdirSync(dirname(inWorkspace(path)), { recursive: true });
  writeFileSync(inWorkspace(path), text);
}

describe("render", () => {
  const codex = (event: string) => ["render", "--adapter", "codex", "--event", event];

  test("prints what the harness takes, with no line end, and reports what it cannot be told", async () => {
    const input = {
      payloads: [{ payload_id: "p", payload_kind: "k", body: "b" }],
      directive: { kind: "block", reason: "On." },
    };
    const { code, stdout, reports } = await lifecycle(codex("frame.ending"), input);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"decision":"block","reason":"On."}' });
    expect(reports).toMatchObject([
      { kind: "not_expressed", detail: [{ what: "payload", payload_id: "p" }] },
    ]);
  });

  test.each([
    ["what is no JSON", "{"],
    ["nothing at all", ""],
  ])("refuses %s", async (_, stdin) => {
    expect(await lifecycle(codex("frame.opening"), stdin)).toMatchObject({
      code: 2,
      stdout: "",
      reports: [{ kind: "invalid_input" }],
    });
  });
});

test("what a harness tells its hook is read, and what is needed is negotiated", async () => {
  const stop = { hook_event_name: "Stop", session_id: "s", turn_id: "t", stop_hook_active: true };
  const read = await lifecycle(["read", "--adapter", "codex"], stop);
  expect(JSON.parse(read.stdout)).toMatchObject({
    event: "frame.ending",
    details: { stop_hook_active: true },
  });
  expect(await lifecycle(["read", "--adapter", "codex"], { hook_event_name: "Nope" })).toMatchObject({
    code: 3,
  });
  const needs = (event: string) => ({
    event: "frame.opening",
    capabilities: [{ kind: "lifecycle_event", event, level: "required", desired: "native" }],
  });
  const negotiate = ["negotiate", "--adapter", "claude"];
  const met = await lifecycle(negotiate, needs("session.ended"));
  expect([met.code, JSON.parse(met.stdout).outcome]).toEqual([0, "satisfied"]);
  const unmet = await lifecycle(negotiate, needs("supervisor.tick"));
  expect([unmet.code, JSON.parse(unmet.stdout).outcome]).toEqual([3, "unsupported"]);
});

describe("dispatch", () => {
  const CLIENT = `
    const { request } = JSON.parse(require("fs").readFileSync(0, "utf8"));
    require("fs").appendFileSync("told.jsonl", JSON.stringify(request) + "\\n");
    const result = { decision: { kind: "continue_with", prompt: "Run the tests." } };
    console.log(JSON.stringify({ schema_version: request.schema_version, status: "delivered", result }));`;
  const stop = { hook_event_name: "Stop", session_id: "s", turn_id: "t", stop_hook_active: false };
  const dispatch = (command: string, ...more: readonly string[]) =>
    lifecycle(["dispatch", "--adapter", "codex", "--client-id", "c", "--client-cmd", command, ...more], stop);

  test("gives the event to a program, prints its answer and keeps a receipt", async () => {
    put("client.cjs", CLIENT);
    const key = ["--idempotency-key", "k"];
    const first = await dispatch("node client.cjs", ...key);
    expect(first).toMatchObject({ code: 0, stdout: '{"decision":"block","reason":"Run the tests."}' });
    // A repeated event gets the same answer, and the program is not called.
    expect((await dispatch("node client.cjs", ...key)).stdout).toBe(first.stdout);
    expect(readFileSync(inWorkspace("told.jsonl"), "utf8").trim().split("\n")).toHaveLength(1);
    const { stdout } = await lifecycle(["receipt", "list", "--run", "s"]);
    expect(JSON.parse(stdout)).toMatchObject([{ event: "frame.ending", status: "delivered", sequence: 1 }]);
    const get = ["receipt", "get", "--client-id", "c", "--adapter", "codex"];
    expect(await lifecycle([...get, "--idempotency-key", "k"])).toMatchObject({ code: 0 });
    expect(await lifecycle([...get, "--idempotency-key", "other"])).toMatchObject({
      code: 3,
      reports: [{ kind: "not_found" }],
    });
  });

  testWith("python3", "the program and the envelope of the documents are what they say", async () => {
    const page = readFileSync("docs/lifecycle.md", "utf8");
    const [, guard = ""] = /^```python\n(.*?)^```$/msu.exec(page) ?? [];
    const [, shown = ""] = /^```text\n(\{\n {2}"schema_version".*?)^```$/msu.exec(page) ?? [];
    put("guard.py", guard);
    const call = (command: string) =>
      lifecycle(["dispatch", "--adapter", "claude", "--client-cmd", "tee envelope.json | python3 guard.py"], {
        hook_event_name: "PreToolUse",
        session_id: "s",
        cwd: "/w",
        tool_name: "Bash",
        tool_input: { command },
        tool_use_id: "u1",
      });
    expect(JSON.parse((await call("rm -rf build")).stdout)).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: "deny",
        permissionDecisionReason: "ask a person before you delete folders",
      },
    });
    const namesIn = (text: string) => [...text.matchAll(/"(\w+)":/gu)].map(([, name]) => name);
    const envelope: unknown = JSON.parse(readFileSync(inWorkspace("envelope.json"), "utf8"));
    expect(new Set(namesIn(shown))).toEqual(new Set(namesIn(JSON.stringify(envelope))));
    expect(await call("ls")).toMatchObject({ code: 0, stdout: "{}", stderr: "" });
  });

  test("lets a frame go on so many times and no more, and says so", async () => {
    put("client.cjs", CLIENT);
    const args = ["dispatch", "--adapter", "codex", "--client-cmd", "node client.cjs"];
    const outcomes = [];
    for (let time = 0; time < 6; time += 1)
      outcomes.push(await lifecycle(args, { ...stop, stop_hook_active: time > 0 }));
    expect(outcomes.map(({ stdout }) => stdout !== "{}")).toEqual([true, true, true, true, true, false]);
    expect(outcomes.at(-1)?.reports).toMatchObject([{ kind: "continuation_limit" }]);
  });

  test.each([
    ["ends with a code", "exit 3", "transport_error"],
    ["says nonsense", "echo hello", "transport_error"],
    ["says what is no answer", "echo '{}'", "invalid_request"],
    ["does not answer in time", "sleep 30", "timeout"],
  ])("fails where the program %s, with a receipt", async (_, command, failure) => {
    const failed = await dispatch(command, "--timeout", "1");
    expect(failed).toMatchObject({ code: 1, stdout: "{}" });
    expect(failed.reports).toHaveLength(1);
    const { stdout } = await lifecycle(["receipt", "list"]);
    expect(JSON.parse(stdout)).toMatchObject([{ status: "failed", failure_class: failure }]);
  });
});

describe("install", () => {
  const install = (adapter: string, ...more: readonly string[]) =>
    lifecycle(["install", adapter, "--command", "./hook.sh", "--yes", ...more]);
  const uninstall = (adapter: string) => lifecycle(["uninstall", adapter, "--command", "./hook.sh", "--yes"]);
  const SETTINGS = '{\n    "model": "opus", // mine\n    "hooks": {\n        "Stop": []\n    },\n}\n';

  test("puts its entry behind what is there, and uninstall leaves the file as it was", async () => {
    put(".claude/settings.json", SETTINGS);
    chmodSync(inWorkspace(".claude/settings.json"), 0o640);
    const { code, stdout, stderr } = await install("claude");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("SessionStart") });
    expect(stderr).toContain('+                        "command": "./hook.sh"');
    const changed = readFileSync(inWorkspace(".claude/settings.json"), "utf8");
    expect(changed).toContain('"model": "opus", // mine');
    expect(await install("claude")).toMatchObject({ stdout: expect.stringContaining("already") });
    expect(readFileSync(inWorkspace(".claude/settings.json"), "utf8")).toBe(changed);
    await uninstall("claude");
    expect(readFileSync(inWorkspace(".claude/settings.json"), "utf8")).toBe(SETTINGS);
  });

  test("makes the file of a harness that has none, and takes it away", async () => {
    await install("codex", "--event", "frame.ending");
    expect(JSON.parse(readFileSync(inWorkspace(".codex/hooks.json"), "utf8"))).toEqual({
      hooks: { Stop: [{ hooks: [{ type: "command", command: "./hook.sh" }] }] },
    });
    await uninstall("codex");
    expect(existsSync(inWorkspace(".codex/hooks.json"))).toBe(false);
  });

  test("follows a link to settings that are kept elsewhere", async () => {
    put("dotfiles/hooks.json", '{"version": 1, "hooks": {}}');
    mkdirSync(inWorkspace(".cursor"));
    symlinkSync("../dotfiles/hooks.json", inWorkspace(".cursor/hooks.json"));
    await install("cursor");
    expect(readFileSync(inWorkspace("dotfiles/hooks.json"), "utf8")).toContain("./hook.sh");
    await uninstall("cursor");
    expect(readFileSync(inWorkspace("dotfiles/hooks.json"), "utf8")).toBe('{"version": 1, "hooks": {}}');
  });

  test.each([
    ["a link of the file", ".claude/settings.json", "settings.json"],
    ["a link of its folder", ".claude", "."],
  ])("does not follow %s out of a project", async (_, link, target) => {
    const own = join(home.user, "settings.json");
    writeFileSync(own, "{}");
    mkdirSync(dirname(inWorkspace(link)), { recursive: true });
    symlinkSync(join(home.user, target), inWorkspace(link));
    const { code, stderr } = await install("claude");
    expect([code, readFileSync(own, "utf8")]).toEqual([1, "{}"]);
    expect(stderr).toContain("leads out of this folder");
  });

  test.each([
    ["what is no JSON", "{ model: 1 }", "line 1: a key in quotes is missing"],
    ["bytes that are no text", "\xff", "it is not UTF-8"],
    ["hooks of another shape", '{"hooks": []}', "is not a list"],
  ])("leaves %s as it is", async (_, text, reason) => {
    mkdirSync(inWorkspace(".gemini"));
    writeFileSync(inWorkspace(".gemini/settings.json"), text, "latin1");
    const { code, stderr } = await install("gemini");
    expect(code).not.toBe(0);
    expect(stderr).toContain(reason);
    expect(readFileSync(inWorkspace(".gemini/settings.json"), "latin1")).toBe(text);
  });

  test("changes nothing where nobody says yes", async () => {
    const asked = await lifecycle(["install", "codex", "--command", "x"]);
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was changed") });
    const dry = await lifecycle(["install", "codex", "--command", "x", "--dry-run"]);
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('+            "command": "x"') });
    expect(existsSync(inWorkspace(".codex"))).toBe(false);
  });

  test("of OpenCode is a plugin that hands its hooks to the program", async () => {
    put(
      "hook.sh",
      '#!/bin/sh\ncat >> told.jsonl; echo >> told.jsonl\necho \'{"assign": {"args": {"command": "ls"}}}\'\n',
    );
    chmodSync(inWorkspace("hook.sh"), 0o755);
    await install("opencode", "--event", "tool.starting", "--event", "session.started");
    const file = inWorkspace(".opencode/plugins/heddle-lifecycle.js");
    const script = `
      import(${JSON.stringify(pathToFileURL(file).href)}).then(async ({ HeddleLifecycle }) => {
        const plugin = await HeddleLifecycle({});
        const output = { args: { command: "rm -rf ." } };
        await plugin["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, output);
        await plugin.event({ event: { type: "session.created", properties: { info: { id: "s" } } } });
        await plugin.event({ event: { type: "file.edited", properties: {} } });
        console.log(JSON.stringify(output));
      });`;
    put("package.json", '{"type": "module"}');
    const child = new Child({
      command: HEDDLE.command,
      args: ["-e", script],
      cwd: home.workspace,
      env: serverEnvironment(home),
    });
    expect((await child.exit).code).toBe(0);
    expect(JSON.parse(child.stdout)).toEqual({ args: { command: "ls" } });
    const recorded = readFileSync(inWorkspace("told.jsonl"), "utf8").trim().split("\n");
    expect(recorded.map((line) => JSON.parse(line).hook)).toEqual([
      "tool.execute.before",
      "event:session.created",
    ]);
    // The plugin's output is valid input of `read`.
    expect(await lifecycle(["read", "--adapter", "opencode"], recorded[0])).toMatchObject({ code: 0 });
    await uninstall("opencode");
    expect(existsSync(file)).toBe(false);
  });
});

describe("conformance", () => {
  const own = HEDDLE.args.map((arg) => `'${arg}'`).join(" ");

  test("holds this program against its own cases", async () => {
    const cmd = `'${HEDDLE.command}' ${own} lifecycle`;
    const { code, stdout } = await lifecycle(["conformance", "--cmd", cmd, "--only", "refused/", "--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([0, { cases: 17, failures: [] }]);
    const golden = "golden/codex/frame.ending/one/";
    expect(await lifecycle(["conformance", "--cmd", cmd, "--only", golden])).toMatchObject({ code: 0 });
  });

  test("says which cases another program fails", async () => {
    const { code, stdout } = await lifecycle([
      "conformance",
      "--cmd",
      "echo '{}' #",
      "--only",
      "codex/render/Stop/frame.ending",
      "--json",
    ]);
    const { cases, failures } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(cases).toBeGreaterThan(failures.length - 1);
    expect(failures[0].reason).toContain("printed {}");
  });
});
