/** Calls every tool through `callTool`, and checks the description before the call and the result after it. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createApplyPatchTool } from "../../tools/apply-patch/apply-patch-tool.ts";
import { nodeFileSystem } from "../../tools/apply-patch/patch-file-system.ts";
import { createCurrentTime, machineTime } from "../../tools/clock/current-time.ts";
import { createSleep } from "../../tools/clock/sleep.ts";
import { createDynamicTools } from "../../tools/dynamic/dynamic-tools.ts";
import { type ExecBench, openExecBench } from "../../tools/exec/fixtures/exec-bench.ts";
import { type BuiltServer, buildServer } from "../../tools/mcp/fixtures/build-server.ts";
import { type McpBench, openMcpBench } from "../../tools/mcp/fixtures/mcp-bench.ts";
import type { PermissionAnswer, PermissionSubject } from "../../tools/permission.ts";
import { createRequestPermissions } from "../../tools/permissions/request-permissions.ts";
import { createUpdatePlan } from "../../tools/plan/update-plan.ts";
import type { Answer, Tool } from "../../tools/tool.ts";
import { openToolBench } from "../../tools/tool-bench.fixture.ts";
import { createRequestUserInput } from "../../tools/user-input/request-user-input.ts";
import { PNG } from "../../tools/view-image/images.fixture.ts";
import { createViewImage } from "../../tools/view-image/view-image.ts";
import { NO_TOOL_HOOKS } from "../hooks/tool-hooks.fixture.ts";
import { callTool } from "./tool-calls.ts";

let folder: string;
let exec: ExecBench;
let server: BuiltServer;
let mcp: McpBench;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "heddle-every-tool-")));
  exec = openExecBench({ cwd: folder });
  server = buildServer();
  mcp = openMcpBench();
  const [command, args] = [process.execPath, [server.file, "well-behaved"]].map((each) =>
    JSON.stringify(each),
  );
  await mcp.start("thread-1", `[mcp_servers.my-server]\ncommand = ${command}\nargs = ${args}\n`);
});

afterAll(async () => {
  await Promise.all([exec.close(), mcp.close()]);
  server.remove();
  rmSync(folder, { recursive: true });
});

interface Around {
  readonly answer?: Answer<unknown>;
  readonly permission?: PermissionAnswer;
}

/** Runs one call, and returns what was known at each step. */
async function call(tool: Tool, input: unknown, { answer, permission }: Around = {}) {
  const asked: PermissionSubject[] = [];
  const { context } = openToolBench({
    cwd: folder,
    ...(answer === undefined ? {} : { answer }),
    decide(subject) {
      asked.push(subject);
      return permission ?? { kind: "approved", sandboxed: false, retry: null };
    },
  });
  const { name, namespace } = tool;
  const given = {
    callId: "call-1",
    name,
    ...(namespace === undefined ? {} : { namespace: namespace.name }),
    input: typeof input === "string" ? input : JSON.stringify(input),
  };
  const { description, result } = await callTool(tool, given, {
    context,
    hooks: NO_TOOL_HOOKS,
    log: silentLogger,
    clock: systemClock,
  });
  return { description, value: result.value, output: result.output, asked: asked.map((each) => each.call) };
}

const execTool = (name: string) => exec.exec.tools.find((tool) => tool.name === name) as Tool;
const mcpTool = async (name: string) =>
  (await mcp.mcp.toolsFor("thread-1")).find((tool) => tool.name === name) as Tool;
const patchTool = () => createApplyPatchTool({ fs: nodeFileSystem, clock: systemClock, id: () => "patch" });

const declined: PermissionAnswer = { kind: "declined", reason: "no", cause: "answer" };
const refused = { kind: "refused" };
const addition = (name: string) => `*** Begin Patch\n*** Add File: ${name}\n+x\n*** End Patch`;
const patched = (text: string, aliases: readonly string[] = ["Write", "Edit"]) => ({
  kind: "patch",
  name: "apply_patch",
  aliases,
  input: { command: text },
  files: expect.any(Function) as unknown,
});
const hidden = (text: string) => patched(text, ["Write", "Edit", "Bash"]);
const added = (name: string) => ({
  kind: "patch",
  status: "completed",
  changes: [{ path: join(folder, name), kind: { type: "add" }, diff: "x\n" }],
});

describe("a command", () => {
  const described = (command: string) => ({ kind: "command", name: "Bash", aliases: [], input: { command } });

  test("is known as Bash, and comes back with its output, exit code and time", async () => {
    const done = await call(execTool("exec_command"), { cmd: "echo out; exit 3", login: false });
    expect(done.description).toEqual(described("echo out; exit 3"));
    expect(done.asked).toEqual([done.description]);
    expect(done.value).toEqual({
      kind: "command",
      callId: "call-1",
      command: "echo out; exit 3",
      output: "out\n",
      exitCode: 3,
      durationMs: expect.any(Number),
    });
  });

  test("that runs on is seen again by what is typed into it", async () => {
    const cmd = "read line; echo got $line";
    const begun = await call(execTool("exec_command"), { cmd, tty: true, login: false, yield_time_ms: 250 });
    expect(begun.value).toMatchObject({ kind: "command", exitCode: null });
    const [, session] = /session ID (\d+)/.exec(begun.output as string) ?? [];
    const args = { session_id: Number(session), chars: "it\n", yield_time_ms: 5000 };
    const typed = await call(execTool("write_stdin"), args);
    expect(typed.description).toEqual({
      kind: "commandInput",
      name: "write_stdin",
      aliases: [],
      input: args,
    });
    expect(typed.value).toMatchObject({ kind: "command", callId: "call-1", command: cmd, exitCode: 0 });
    expect((typed.value as { output: string }).output).toContain("got it");
  });

  test("that is not permitted, or cannot be read, did nothing", async () => {
    const tool = execTool("exec_command");
    expect((await call(tool, { cmd: "true" }, { permission: declined })).value).toEqual(refused);
    const unread = await call(tool, '{"cmd": 1}');
    expect(unread.description).toMatchObject({ name: "Bash", input: { cmd: 1 } });
    expect(unread.value).toEqual(refused);
    expect((await call(tool, "no json")).description).toMatchObject({ name: "Bash", input: "no json" });
  });
});

describe("a patch", () => {
  test("is known by its own name and as what writes and edits, and comes back with its changes", async () => {
    const done = await call(patchTool(), addition("a.txt"));
    expect(done.description).toEqual(patched(addition("a.txt")));
    expect(done.asked).toEqual([patched(addition("a.txt"))]);
    expect(done.value).toEqual(added("a.txt"));
  });

  test.each([
    ["bare.txt", (text: string) => `apply_patch <<'EOF'\n${text}\nEOF`],
    ["./there.txt", (text: string) => `cd . && applypatch <<EOF\n${text}\nEOF\n`],
  ])("is one in a command, too: %s", async (name, wrap) => {
    const done = await call(execTool("exec_command"), { cmd: wrap(addition(name)) });
    expect(done.description).toEqual(hidden(addition(name)));
    expect(done.asked).toEqual([hidden(addition(name))]);
    expect(done.value).toEqual(added(name));
    expect(done.output).toContain("Wall time: 0.0000 seconds\nOutput:\nExit code: 0");
  });

  test("that is none, also in a command, did nothing", async () => {
    const cmd = "apply_patch <<'EOF'\nnothing\nEOF";
    const done = await call(execTool("exec_command"), { cmd });
    expect(done.description).toEqual(hidden("nothing"));
    expect(done.value).toEqual(refused);
    expect(done.asked).toEqual([]);
    const bare = await call(execTool("exec_command"), { cmd: addition("x.txt") });
    expect([bare.description, bare.value]).toEqual([hidden(addition("x.txt")), refused]);
  });

  test("that a command only mentions leaves it a command", async () => {
    const done = await call(execTool("exec_command"), { cmd: "echo apply_patch", login: false });
    expect(done.description).toMatchObject({ kind: "command", name: "Bash" });
    expect(done.value).toMatchObject({ output: "apply_patch\n" });
  });
});

describe("a tool of an MCP server", () => {
  test("is known by server and tool, and comes back with what the server said", async () => {
    const done = await call(await mcpTool("echo"), { text: "hi" });
    expect(done.description).toEqual({
      kind: "mcpTool",
      name: "mcp__my_server__echo",
      aliases: ["mcp__my-server__echo", "mcp__my_server__echo"],
      input: { text: "hi" },
    });
    expect(done.asked).toEqual([done.description]);
    expect(done.value).toMatchObject({ kind: "mcpTool", content: expect.any(Array), isError: null });
  });

  test("that is not permitted did nothing", async () => {
    expect((await call(await mcpTool("danger"), {}, { permission: declined })).value).toEqual(refused);
  });

  test("has company that looks at resources", async () => {
    const done = await call(await mcpTool("list_mcp_resources"), "");
    expect(done.description).toEqual({
      kind: "function",
      name: "list_mcp_resources",
      aliases: [],
      input: {},
    });
    expect(done.value).toMatchObject({ kind: "data", data: { resources: expect.any(Array) } });
  });
});

describe("every other tool is known by its own name and arguments, and comes back with data", () => {
  const says = (result: unknown): Around => ({ answer: { kind: "answered", result } });
  const question = { id: "q", header: "Q", question: "?", options: [{ label: "a", description: "b" }] };
  const schema = { type: "object", properties: {} };
  const dynamic = { name: "look", description: "", inputSchema: schema };
  const [plain, spaced] = createDynamicTools(
    [
      { type: "function", ...dynamic },
      { type: "namespace", name: "my", description: "", tools: [{ type: "function", ...dynamic }] },
    ],
    systemClock,
  ).offered as [Tool, Tool];
  const answered = { contentItems: [{ type: "inputText", text: "seen" }], success: true };
  const granted = { network: true, read: [], write: [] };

  test.each<[string, Tool, unknown, unknown, Around?]>([
    [
      "update_plan",
      createUpdatePlan({ isPlanMode: () => false }),
      { plan: [{ step: "s", status: "pending" }] },
      { plan: [{ step: "s", status: "pending" }], explanation: null },
    ],
    ["clock__curr_time", createCurrentTime(machineTime(systemClock)), {}, { nowMs: expect.any(Number) }],
    [
      "clock__sleep",
      createSleep({ clock: systemClock, isOfClient: false, onInput: () => () => {} }),
      { duration_ms: 1 },
      { sleptMs: expect.any(Number), end: "completed" },
    ],
    [
      "request_user_input",
      createRequestUserInput({ modes: ["default"], modeOf: ({ mode }) => mode }),
      { questions: [question] },
      { answers: { q: { answers: ["a"] } } },
      says({ answers: { q: { answers: ["a"] } } }),
    ],
    [
      "request_permissions",
      createRequestPermissions(),
      { permissions: { network: { enabled: true } } },
      { permissions: { network: { enabled: true }, file_system: null }, scope: "turn" },
      { permission: { kind: "approved", granted, scope: "turn" } },
    ],
    ["look", plain, { at: 1 }, answered, says(answered)],
    ["my__look", spaced, { at: 1 }, answered, says(answered)],
  ])("%s", async (...row) => {
    const [name, tool, input, data, around] = row;
    const done = await call(tool, input, around);
    expect(done.description).toEqual({ kind: expect.any(String), name, aliases: [], input });
    expect(done.value).toEqual({ kind: "data", data });
    expect(done.description.kind).toBe(name.endsWith("look") ? "dynamicTool" : "function");
  });

  test("view_image", async () => {
    writeFileSync(join(folder, "i.png"), Buffer.from(PNG, "base64"));
    const tool = createViewImage({ acceptsImages: true, offersOriginal: false });
    const done = await call(tool, { path: "i.png" });
    expect(done.description).toMatchObject({ name: "view_image", input: { path: "i.png" } });
    expect(done.value).toEqual({ kind: "data", data: { path: join(folder, "i.png"), detail: "high" } });
  });
});

test("a tool that throws is described all the same", async () => {
  const broken: Tool = {
    ...createUpdatePlan({ isPlanMode: () => false }),
    run: () => Promise.reject(new Error("broken")),
  };
  const done = await call(broken, {});
  expect(done).toMatchObject({ description: { name: "update_plan" }, value: refused });
  expect(done.output).toBe("update_plan failed: broken");
});
