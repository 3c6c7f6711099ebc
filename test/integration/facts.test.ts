/** Facts that a page shows: decisions, rules, hooks that are tried, the state of the server. */
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { ApprovalHarness, type ApprovalHarnessOptions, ASKED } from "../support/approval-harness.ts";
import type { JsonObject } from "../support/json.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";

let opened: ApprovalHarness | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const RULES = '# mine\nprefix_rule(pattern=["tee"], decision="prompt", justification="it writes")\n';
const THREAD = { approvalPolicy: "on-request", sandbox: "danger-full-access" };
const run = (callId: string, cmd: string) => functionCallDone(callId, "exec_command", { cmd, login: false });
const DONE = messageReply("Done", { id: "9" });
const COMPLETED = { method: "turn/completed" };

async function open(options: ApprovalHarnessOptions = {}): Promise<ApprovalHarness> {
  opened = await ApprovalHarness.open({
    transport: "ws",
    model: [reply("1", run("call_1", "echo one"), run("call_2", "echo two | tee ran")), DONE],
    ...options,
    files: { "home/rules/default.rules": RULES, ...options.files },
  });
  return opened;
}

async function data(client: RpcClient, method: string, params: object = {}): Promise<JsonObject[]> {
  return ((await client.result(method, params)) as { data: JsonObject[] }).data;
}

test("a question tells which rule asks, and the log finds it by each of its facts", async () => {
  const harness = await open();
  const editor = await harness.connect();
  const phone = await harness.connect("phone");
  await phone.result("approval/list", { subscribe: true });
  const { threadId } = await harness.startTurn(editor, THREAD);
  const asked = await editor.next({ method: ASKED });
  const file = join(harness.home.home, "rules/default.rules");
  const cause = { kind: "rule", pattern: ["tee"], file, line: 2, justification: "it writes" };
  await phone.next({ method: "approval/changed", params: { approval: { threadId, status: "open", cause } } });
  expect(await data(phone, "approval/list")).toMatchObject([{ cause }]);
  expect(await data(phone, "decision/list", { outcome: "open" })).toMatchObject([
    { kind: "command", verdict: null, cause },
  ]);
  editor.answer(asked["id"] as number, { decision: "accept" });
  await editor.next(COMPLETED);

  const both = await data(phone, "decision/list", { threadId });
  expect(both.map(({ itemId }) => itemId)).toEqual(["call_2", "call_1"]);
  expect(both).toMatchObject([
    { verdict: { outcome: "approved", by: { kind: "client", name: "editor" } }, rule: null, cause },
    { verdict: { outcome: "approved", by: { kind: "policy" } }, cause: null },
  ]);
  const found = async (filter: object) =>
    (await data(phone, "decision/list", filter)).map(({ itemId }) => itemId);
  expect(await found({ by: "client" })).toEqual(["call_2"]);
  expect(await found({ text: "ECHO ONE" })).toEqual(["call_1"]);
  expect(await found({ text: "Editor" })).toEqual(["call_2"]);
  expect(await found({ kind: "fileChange" })).toEqual([]);
  expect(await found({ outcome: "denied" })).toEqual([]);
  expect(await found({ sinceMs: Date.now() + 60_000 })).toEqual([]);
  expect(await found({ untilMs: Date.now() + 60_000 })).toHaveLength(2);
  const first = (await phone.result("decision/list", { limit: 1 })) as JsonObject;
  expect(first).toMatchObject({ data: [{ itemId: "call_2" }], nextCursor: expect.any(String) });
  expect(await phone.result("decision/list", { limit: 1, cursor: first["nextCursor"] })).toMatchObject({
    data: [{ itemId: "call_1" }],
    nextCursor: null,
  });
  expect((await phone.request("decision/list", { cursor: "x" }))["error"]).toMatchObject({
    message: "invalid cursor: x",
  });
  const printed = await harness.printedDecisions();
  expect(printed).toHaveLength(both.length);
  // The command line finds the same ones.
  expect(await harness.printedDecisions(["--text", "ECHO ONE"])).toEqual([printed[0]]);
  expect(await harness.printedDecisions(["--outcome", "denied"])).toEqual([]);
});

test("the rules of a folder are listed with file, line and origin, and faults with theirs", async () => {
  const harness = await open();
  const client = await harness.connect();
  const file = join(harness.home.home, "rules/default.rules");
  expect(await client.result("rule/list", {})).toEqual({
    data: [
      { pattern: [["tee"]], decision: "prompt", justification: "it writes", file, line: 2, origin: "user" },
    ],
    faults: [],
    nextCursor: null,
  });
  await harness.home.write("home/rules/default.rules", `${RULES}prefix_rule(pattern=[])\n`);
  expect(await client.result("rule/list", {})).toMatchObject({
    data: [{ line: 2 }],
    faults: [{ path: file, line: 3, message: expect.any(String) }],
  });
});

test("a question to the user is opened and closed for those who follow all threads, with who answered", async () => {
  const options = [
    { label: "Yes", description: "Do it" },
    { label: "No", description: "Leave it" },
  ];
  const question = { id: "go", header: "Go", question: "Shall I?", options };
  const asks = functionCallDone("call_1", "request_user_input", { questions: [question] });
  const harness = await open({ model: [reply("1", asks), DONE] });
  const client = await harness.connect();
  const phone = await harness.connect("phone");
  await phone.result("approval/list", { subscribe: true });
  const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
  const settings = { model: "mock-model", reasoning_effort: null, developer_instructions: "Plan." };
  await client.result("turn/start", {
    threadId: thread.id,
    input: [{ type: "text", text: "Go" }],
    collaborationMode: { mode: "plan", settings },
  });
  const asked = await client.next({ method: "item/tool/requestUserInput" });
  const openOne = { kind: "userInput", status: "open", requestId: asked["id"], cause: { kind: "model" } };
  await phone.next({ method: "approval/changed", params: { approval: openOne } });
  client.answer(asked["id"] as number, { answers: { go: { answers: ["Yes"] } } });
  const by = { kind: "client", name: "editor", subject: null };
  await phone.next({
    method: "approval/changed",
    params: { approval: { kind: "userInput", status: "closed", verdict: { outcome: "approved", by } } },
  });
  await client.next(COMPLETED);
});

test("hooks are tried and replayed by requests, as by the command line", async () => {
  const hooks = {
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }],
  };
  const harness = await open({
    files: { "home/hooks.json": JSON.stringify({ hooks }) },
    model: [reply("1", run("call_1", "echo one")), DONE],
  });
  const client = await harness.connect();
  const { threadId } = await harness.startTurn(client, THREAD);
  await client.next(COMPLETED);
  const trial = { eventName: "preToolUse", input: { tool_input: { command: "rm -rf build" } } };
  expect(await client.result("hook/test", trial)).toMatchObject({
    trial: {
      isBlocked: false,
      runs: [],
      hooks: [{ isRun: false, reason: expect.stringContaining("not trusted") }],
    },
  });
  const [entry] = (await data(client, "hooks/list")) as [{ hooks: { key: string; currentHash: string }[] }];
  const { key = "", currentHash = "" } = entry.hooks[0] ?? {};
  const state = { [key]: { trusted_hash: currentHash } };
  await client.result("config/batchWrite", {
    edits: [{ keyPath: "hooks.state", value: state, mergeStrategy: "upsert" }],
  });
  expect(await client.result("hook/test", trial)).toMatchObject({
    trial: {
      eventName: "preToolUse",
      isBlocked: true,
      would: ["the call would be blocked: no"],
      runs: [{ key, run: { status: "blocked" }, exitCode: 2, stderr: "no\n" }],
    },
  });
  expect(await client.result("hook/test", { ...trial, hookKeys: [] })).toMatchObject({
    trial: { hooks: [], isBlocked: false },
  });
  expect((await client.request("hook/test", { ...trial, input: { prompt: "x" } }))["error"]).toMatchObject({
    message: "PreToolUse has no field prompt",
  });
  const replayed = await client.result("hook/replay", { threadId, eventName: "preToolUse" });
  expect(replayed).toMatchObject({
    data: [{ eventName: "preToolUse", recorded: [], isBlocked: true, differences: [expect.any(String)] }],
    nextCursor: null,
  });
});

test("the state of the server, its metrics and its set-up are read by requests", async () => {
  const harness = await open();
  const client = await harness.connect();
  await harness.connect("phone");
  const before = (await client.result("server/status", {})) as JsonObject;
  expect(before).toMatchObject({ threadsLoaded: 0, turnsRunning: 0, connectionCount: 2 });
  expect(before["connections"]).toMatchObject([
    { clientName: "editor", isYou: true, subject: null },
    { clientName: "phone", isYou: false },
  ]);
  await harness.startTurn(client, THREAD);
  const asked = await client.next({ method: ASKED });
  expect(await client.result("server/status", {})).toMatchObject({ threadsLoaded: 1, turnsRunning: 1 });
  client.answer(asked["id"] as number, { decision: "accept" });
  await client.next(COMPLETED);
  const metrics = await data(client, "metrics/list");
  const turns = metrics.find(({ name }) => name === "heddle_turns_total");
  const delays = metrics.find(({ name }) => name === "heddle_event_loop_delay_seconds");
  expect(turns).toMatchObject({ kind: "counter" });
  expect(delays).toMatchObject({ kind: "histogram", samples: [{ labels: {}, count: expect.any(Number) }] });

  const { findings, isComplete } = (await client.result("doctor/run", {})) as {
    findings: { subject: string; verdict: string }[];
    isComplete: boolean;
  };
  expect(isComplete).toBe(true);
  const subjects = new Set(findings.map(({ subject }) => subject));
  for (const subject of [
    "program",
    "home",
    "configuration",
    "hooks",
    "database",
    "sandbox",
    "model provider",
  ])
    expect([...subjects]).toContain(subject);
});
