/** A question outlives its server: the next one asks it again, and the answer runs the call once. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import {
  ApprovalHarness,
  type ApprovalHarnessOptions,
  ASKED,
  initialize,
} from "../support/approval-harness.ts";
import type { JsonObject } from "../support/json.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { HEDDLE, startServer } from "../support/start-server.ts";
import { within } from "../support/within.ts";

let opened: ApprovalHarness | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const THREAD = { approvalPolicy: "on-request", sandbox: "danger-full-access" };
const ASKS = "[approvals]\nafter_restart = 'ask'\n";
const RULES = 'prefix_rule(pattern=["tee"], decision="prompt")\n';
const run = (callId: string, cmd: string) => functionCallDone(callId, "exec_command", { cmd, login: false });
const DONE = messageReply("Done", { id: "9" });
/** Two calls run at once, and the one between them asks. */
const THREE_CALLS = reply(
  "1",
  run("call_1", "echo one >> ran"),
  run("call_2", "echo two | tee -a ran"),
  run("call_3", "echo three >> ran"),
);
const COMPLETED = { method: "turn/completed", params: { turn: { status: "completed" } } };

async function open(options: ApprovalHarnessOptions = {}): Promise<ApprovalHarness> {
  const files = { "home/rules/default.rules": RULES };
  opened = await ApprovalHarness.open({
    transport: "ws",
    config: ASKS,
    files,
    model: [THREE_CALLS, DONE],
    ...options,
  });
  return opened;
}

/** The durable events that a client has received. */
const durable = ({ received }: RpcClient) =>
  received.flatMap(({ message: { method, params } }) => {
    const seq = (params as JsonObject | undefined)?.["seq"];
    return typeof seq === "string" ? [{ method, params, seq }] : [];
  });

/** What the commands have done, a line each, sorted. */
function ran({ home }: ApprovalHarness): string[] {
  const file = join(home.workspace, "ran");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").sort() : [];
}

/** Starts the turn and waits until one call asks and the two others have ended. */
async function ask(harness: ApprovalHarness, client: RpcClient) {
  const ids = await harness.startTurn(client, THREAD);
  const asked = await client.next({ method: ASKED });
  for (const id of ["call_1", "call_3"])
    await client.next({ method: "item/completed", params: { item: { id, status: "completed" } } });
  return { ...ids, asked };
}

async function list(client: RpcClient, params: object = {}): Promise<JsonObject[]> {
  return ((await client.result("approval/list", params)) as { data: JsonObject[] }).data;
}

/** The outputs that the last model request has, by call. */
function outputs({ model }: ApprovalHarness): Record<string, unknown> {
  const { body } = model.requests.at(-1) ?? {};
  const { input } = body as { input: JsonObject[] };
  const found = input.filter(({ type }) => type === "function_call_output");
  return Object.fromEntries(found.map((item) => [String(item["call_id"]), item["output"]]));
}

describe("after kill -9 while one of three calls asks", () => {
  test("the answer of another connection runs that call once, and the turn goes on", async () => {
    const harness = await open();
    const before = await harness.connect();
    const { threadId, turnId } = await ask(harness, before);
    const [question] = await list(before);
    expect(question).toMatchObject({ threadId, turnId, itemId: "call_2", status: "open", isDurable: true });
    expect(ran(harness)).toEqual(["one", "three"]);

    await harness.restart("SIGKILL");
    const phone = await harness.connect("phone");
    expect(await list(phone)).toMatchObject([{ id: question?.["id"], status: "open", requestId: null }]);
    await phone.result("approval/answer", { id: question?.["id"], decision: "accept" });
    const editor = await harness.connect();
    await editor.result("thread/resume", { threadId });
    // The turn may have ended before this client followed the thread.
    await expect
      .poll(() => editor.result("thread/read", { threadId, includeTurns: true }), { timeout: 10_000 })
      .toMatchObject({ thread: { turns: [{ id: turnId, status: "completed" }] } });
    expect(ran(harness)).toEqual(["one", "three", "two"]);
    // Both responses count, also the one before the kill.
    expect(await editor.result("thread/list", { withSummaries: true })).toMatchObject({
      summaries: { [threadId]: { totalTokens: 30 } },
    });
    expect(outputs(harness)).toEqual({
      call_1: expect.stringContaining("Process exited with code 0"),
      call_2: expect.stringContaining("two"),
      call_3: expect.stringContaining("Process exited with code 0"),
    });
    expect(await harness.decisions()).toContainEqual({
      outcome: "approved",
      by: { kind: "client", name: "phone" },
      reason: null,
    });
  });

  test("its events are the same for a client that follows it and from the store", async () => {
    const harness = await open();
    const before = await harness.connect("before", { resumableEvents: true });
    const { threadId } = await ask(harness, before);
    const sent = durable(before);
    await harness.restart("SIGKILL");
    const after = await harness.connect("after", { resumableEvents: true });
    await after.result("thread/resume", { threadId, afterSeq: sent.at(-1)?.seq ?? null });
    const [question] = await list(after);
    await after.result("approval/answer", { id: question?.["id"], decision: "accept" });
    await after.next({ method: "turn/completed" });
    const { data } = (await after.result("thread/events/list", { threadId, afterSeq: null })) as {
      data: JsonObject[];
    };
    expect([...sent, ...durable(after)]).toEqual(
      data.map(({ method, params, seq }) => ({ method, params: { ...(params as object), seq }, seq })),
    );
  });

  test("whoever resumes the thread is asked again", async () => {
    const harness = await open();
    const { threadId, turnId, asked } = await ask(harness, await harness.connect());
    await harness.restart("SIGKILL");
    const client = await harness.connect();
    const resumed = (await client.result("thread/resume", { threadId })) as {
      thread: { status: JsonObject; turns: JsonObject[]; waiting: JsonObject };
    };
    expect(resumed.thread.status["type"]).toBe("active");
    expect(resumed.thread.waiting).toMatchObject({ reason: "question", turnId });
    expect(resumed.thread.turns).toMatchObject([{ id: turnId, status: "inProgress" }]);
    const again = await client.next({ method: ASKED });
    expect(again["params"]).toEqual(asked["params"]);
    client.answer(again["id"] as number, { decision: "decline" });
    await client.next(COMPLETED);
    expect(ran(harness)).toEqual(["one", "three"]);
    expect(outputs(harness)["call_2"]).toContain("rejected by user");
  });
});

describe("a server that ends", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "by %s leaves the turn to the next one at once",
    async (signal) => {
      const harness = await open();
      const { threadId, turnId } = await ask(harness, await harness.connect());
      harness.server.child.signal(signal);
      await within(harness.server.child.exit, 5000, "the end of the server");
      await harness.restart("SIGKILL");
      const client = await harness.connect();
      const read = (await client.result("thread/read", { threadId, includeTurns: true })) as {
        thread: { waiting: JsonObject; turns: JsonObject[] };
      };
      const [question] = await list(client);
      expect(read.thread.waiting).toMatchObject({ reason: "question", turnId, decisionId: question?.["id"] });
      expect(read.thread.turns).toMatchObject([{ id: turnId, status: "inProgress" }]);
      await client.result("thread/resume", { threadId });
      const again = await client.next({ method: ASKED });
      client.answer(again["id"] as number, { decision: "accept" });
      await client.next(COMPLETED);
      expect(ran(harness)).toEqual(["one", "three", "two"]);
    },
  );

  test("denies the question by default, and the turn is interrupted", async () => {
    const harness = await open({ config: "" });
    const { threadId } = await ask(harness, await harness.connect());
    await harness.restart("SIGKILL");
    const client = await harness.connect();
    const { thread } = (await client.result("thread/resume", { threadId })) as {
      thread: { status: JsonObject; turns: JsonObject[] };
    };
    expect([thread.status["type"], thread.turns[0]?.["status"]]).toEqual(["idle", "interrupted"]);
    expect(await list(client)).toEqual([]);
  });
});

describe("the command line", () => {
  test("answers a question whose server is gone, and the next server continues the turn by itself", async () => {
    const harness = await open();
    const { turnId } = await ask(harness, await harness.connect());
    const [question] = await list(await harness.connect("lister"));
    harness.server.child.signal("SIGKILL");
    await within(harness.server.child.exit, 5000, "the end of the server");
    const { stdout } = await heddle(harness, "approvals", "answer", String(question?.["id"]), "accept");
    expect(stdout).toContain("approved");
    await expect(heddle(harness, "approvals", "answer", String(question?.["id"]), "decline")).rejects.toThrow(
      /approved already by heddle approvals/,
    );
    await harness.restart("SIGKILL");
    await until(() => harness.model.requests.length === 2);
    expect(ran(harness)).toEqual(["one", "three", "two"]);
    expect(turnId).not.toBe("");
  });

  test("answers a question that another process asks", async () => {
    const harness = await open();
    const client = await harness.connect();
    await ask(harness, client);
    const listed = await heddle(harness, "approvals", "list");
    expect(listed.stdout).toMatch(/tee -a ran/);
    const [id = ""] = listed.stdout.split(" ");
    expect((await heddle(harness, "approvals", "show", id)).stdout).toContain("item/commandExecution");
    await heddle(harness, "approvals", "answer", id, "accept");
    await client.next({ method: "serverRequest/resolved" });
    await client.next(COMPLETED);
    expect(ran(harness)).toEqual(["one", "three", "two"]);
  });
});

function heddle({ home }: ApprovalHarness, ...args: readonly string[]): Promise<{ stdout: string }> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home.user, CODEX_HOME: home.home };
  return promisify(execFile)(HEDDLE.command, [...HEDDLE.args, ...args], { env });
}

/** Polls, because no client is connected that could be notified. */
async function until(isSo: () => boolean): Promise<void> {
  const reached = async (): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await within(reached(), 10_000, "the condition");
}

describe("a client that follows no thread", () => {
  test("sees what is asked, answered and closed, by whom", async () => {
    const harness = await open();
    const follower = await harness.connect("phone");
    expect(await list(follower, { subscribe: true })).toEqual([]);
    const client = await harness.connect();
    const { threadId } = await ask(harness, client);
    const changed = (status: string) => ({ method: "approval/changed", params: { approval: { status } } });
    const asked = await follower.next(changed("open"));
    const { approval } = asked["params"] as { approval: JsonObject };
    expect(approval).toMatchObject({ threadId, kind: "command", isDurable: true });
    expect(approval["command"]).toContain("tee");
    await follower.result("approval/answer", { id: approval["id"], decision: "decline" });
    const by = { kind: "client", name: "phone" };
    expect(await follower.next(changed("closed"))).toMatchObject({
      params: { approval: { id: approval["id"], verdict: { outcome: "denied", by } } },
    });
    await client.next(COMPLETED);
    expect(ran(harness)).toEqual(["one", "three"]);
    const late = await client.request("approval/answer", { id: approval["id"], decision: "accept" });
    expect(late["error"]).toMatchObject({ message: expect.stringContaining("denied already by phone") });
    const closed = await list(client, { status: "closed", threadId });
    expect(closed.map(({ id }) => id)).toContain(approval["id"]);
  });

  test.each([
    ["no such id", "accept", /there is no question/],
    [null, "perhaps", /not an answer/],
  ] as const)("is refused the answer %s %s", async (id, decision, message) => {
    const harness = await open();
    const client = await harness.connect();
    await ask(harness, client);
    const [question] = await list(client);
    const answered = await client.request("approval/answer", { id: id ?? question?.["id"], decision });
    expect(answered["error"]).toMatchObject({ message: expect.stringMatching(message) });
    expect(await list(client)).toMatchObject([{ status: "open" }]);
  });
});

describe("a turn that waits in a thread that no server has loaded", () => {
  /** The next server, with the thread not loaded. */
  async function restarted(options: ApprovalHarnessOptions = {}) {
    const harness = await open(options);
    const ids = await ask(harness, await harness.connect());
    await harness.restart("SIGKILL");
    return { harness, ...ids, client: await harness.connect() };
  }

  test.each(["thread/archive", "thread/delete"])("is not asked about any more after %s", async (method) => {
    const { harness, client, threadId } = await restarted();
    await client.result(method, { threadId });
    expect(await list(client)).toEqual([]);
    expect(ran(harness)).toEqual(["one", "three"]);
  });

  test("is listed as waiting, and can be interrupted", async () => {
    const { harness, client, threadId, turnId } = await restarted();
    const listed = (await client.result("thread/list", {})) as { data: JsonObject[] };
    expect(listed.data).toMatchObject([{ id: threadId, waiting: { reason: "question", turnId } }]);
    await client.result("thread/resume", { threadId });
    await client.next({ method: ASKED });
    await client.result("turn/interrupt", { threadId, turnId });
    await client.next({ method: "turn/completed", params: { turn: { id: turnId, status: "interrupted" } } });
    expect(await list(client)).toEqual([]);
    const read = (await client.result("thread/read", { threadId })) as { thread: JsonObject };
    expect(read.thread["waiting"]).toBeUndefined();
    expect(ran(harness)).toEqual(["one", "three"]);
  });

  test("is denied when its time is over, which counts from the first server on", async () => {
    const config = `${ASKS}timeout_sec = 3\n`;
    const { harness, client, threadId } = await restarted({ config });
    await until(() => harness.model.requests.length === 2);
    expect(outputs(harness)["call_2"]).toContain("approval request failed");
    expect(ran(harness)).toEqual(["one", "three"]);
    const closed = await list(client, { status: "closed", threadId });
    expect(closed).toContainEqual(
      expect.objectContaining({
        itemId: "call_2",
        verdict: expect.objectContaining({
          outcome: "denied",
          by: expect.objectContaining({ kind: "timeOut" }),
        }),
      }),
    );
  });

  test("is not run if a rule forbids it meanwhile", async () => {
    const { harness, client, threadId } = await restarted();
    const [question] = await list(client);
    await harness.home.write(
      "home/rules/default.rules",
      'prefix_rule(pattern=["tee"], decision="forbidden", justification="not here")\n',
    );
    await client.result("approval/answer", { id: question?.["id"], decision: "accept" });
    await client.result("thread/resume", { threadId });
    await client.next(COMPLETED);
    expect(ran(harness)).toEqual(["one", "three"]);
    expect(await list(client, { status: "closed", threadId })).toContainEqual(
      expect.objectContaining({
        id: question?.["id"],
        verdict: expect.objectContaining({
          outcome: "denied",
          by: expect.objectContaining({ kind: "rule" }),
        }),
      }),
    );
  });

  test("keeps queued turns waiting until it has ended", async () => {
    const { harness, client, threadId, turnId } = await restarted({ model: [THREE_CALLS, DONE, DONE] });
    await client.result("thread/resume", { threadId });
    const input = [{ type: "text", text: "Next" }];
    await client.result("thread/queue/add", { threadId, input, clientUserMessageId: "next" });
    const again = await client.next({ method: ASKED });
    expect(harness.model.requests).toHaveLength(1);
    client.answer(again["id"] as number, { decision: "accept" });
    await client.next({ method: "turn/completed", params: { turn: { id: turnId, status: "completed" } } });
    await client.next(COMPLETED);
    expect(harness.model.requests).toHaveLength(3);
  });
});

test("a call that was running when its server was killed is not run again", async () => {
  const model = [
    reply("1", run("call_1", "echo one >> ran; sleep 60"), run("call_2", "echo two | tee -a ran")),
    DONE,
  ];
  const harness = await open({ model });
  const client = await harness.connect();
  const { threadId } = await harness.startTurn(client, THREAD);
  await client.next({ method: ASKED });
  await until(() => ran(harness).length === 1);
  await harness.restart("SIGKILL");
  const next = await harness.connect();
  await next.result("thread/resume", { threadId });
  const again = await next.next({ method: ASKED });
  next.answer(again["id"] as number, { decision: "accept" });
  await next.next(COMPLETED);
  expect(ran(harness)).toEqual(["one", "two"]);
  expect(outputs(harness)["call_1"]).toContain("interrupted by the end of the server");
});

test("several questions of one response are all asked again, and a patch shows its changes", async () => {
  const patch = "*** Begin Patch\n*** Add File: ../outside.txt\n+hello\n*** End Patch";
  const model = [
    reply("1", run("call_1", "echo one | tee -a ran"), run("call_2", `apply_patch <<'EOF'\n${patch}\nEOF`)),
    DONE,
  ];
  const harness = await open({ model });
  const client = await harness.connect();
  const { threadId } = await harness.startTurn(client, { ...THREAD, approvalPolicy: "untrusted" });
  await client.next({ method: ASKED });
  await client.next({ method: "item/fileChange/requestApproval" });
  await harness.restart("SIGKILL");
  const next = await harness.connect();
  await next.result("thread/resume", { threadId });
  const command = await next.next({ method: ASKED });
  await next.next({ method: "item/fileChange/requestApproval" });
  next.answer(command["id"] as number, { decision: "decline" });
  await next.next({ method: "serverRequest/resolved" });
  await harness.restart("SIGKILL");
  const last = await harness.connect();
  const [question, ...others] = await list(last);
  expect([question, others]).toMatchObject([{ kind: "fileChange", itemId: "call_2" }, []]);
  expect(JSON.stringify(question?.["changes"])).toContain("hello");
  await last.result("approval/answer", { id: question?.["id"], decision: "accept" });
  await until(() => existsSync(join(harness.home.root, "outside.txt")));
  await until(() => harness.model.requests.length === 2);
  expect(ran(harness)).toEqual([]);
  expect(outputs(harness)["call_1"]).toMatch(/rejected by user|was not run/);
});

test("a question of the model to the user is in the inbox while it is open", async () => {
  const options = [
    { label: "Yes", description: "Do it" },
    { label: "No", description: "Leave it" },
  ];
  const question = { id: "go", header: "Go", question: "Shall I?", options };
  const asks = functionCallDone("call_1", "request_user_input", { questions: [question] });
  const harness = await open({ model: [reply("1", asks), DONE] });
  const client = await harness.connect();
  const phone = await harness.connect("phone");
  const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
  const settings = { model: "mock-model", reasoning_effort: null, developer_instructions: "Plan." };
  await client.result("turn/start", {
    threadId: thread.id,
    input: [{ type: "text", text: "Go" }],
    collaborationMode: { mode: "plan", settings },
  });
  const asked = await client.next({ method: "item/tool/requestUserInput" });
  const [entry] = await list(phone);
  const { id, method } = { id: entry?.["id"], method: "item/tool/requestUserInput" };
  expect(entry).toMatchObject({
    kind: "userInput",
    isDurable: false,
    requestId: asked["id"],
    request: { method },
  });
  const wrong = await phone.request("approval/answer", { id, decision: "accept" });
  expect(wrong["error"]).toMatchObject({ message: expect.stringContaining("not an answer") });
  await phone.result("approval/answer", { id, decision: { answers: { go: { answers: ["Yes"] } } } });
  await client.next({ method: "serverRequest/resolved" });
  await client.next(COMPLETED);
  expect(outputs(harness)["call_1"]).toContain("Yes");
  expect(await list(phone)).toEqual([]);
});

test("a call that a PreToolUse hook defers waits for the user across a restart, and its hook runs once", async () => {
  const output = {
    hookEventName: "PreToolUse",
    permissionDecision: "defer",
    permissionDecisionReason: "you decide",
  };
  const script = `#!/bin/sh\necho hook >> hooked\necho '${JSON.stringify({ hookSpecificOutput: output })}'\n`;
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "sh $HOME/defer.sh" }] }] };
  const harness = await open({
    model: [reply("1", run("call_1", "echo one >> ran")), DONE],
    files: { "user/defer.sh": script, "home/hooks.json": JSON.stringify({ hooks }) },
  });
  const client = await harness.connect();
  const { threadId } = await harness.startTurn(client, { ...THREAD, config: { bypass_hook_trust: true } });
  const asked = await client.next({ method: ASKED });
  expect(asked["params"]).toMatchObject({ reason: "you decide" });
  await harness.restart("SIGKILL");
  const next = await harness.connect();
  await next.result("thread/resume", { threadId, config: { bypass_hook_trust: true } });
  const again = await next.next({ method: ASKED });
  next.answer(again["id"] as number, { decision: "accept" });
  await next.next(COMPLETED);
  expect(ran(harness)).toEqual(["one"]);
  expect(readFileSync(join(harness.home.workspace, "hooked"), "utf8")).toBe("hook\n");
});

test("a server that drains lets a running call end before it leaves the turn to the next one", async () => {
  const model = [
    reply("1", run("call_1", "sleep 1; echo one >> ran"), run("call_2", "echo two | tee -a ran")),
    DONE,
  ];
  const harness = await open({ model });
  const client = await harness.connect();
  const { threadId } = await harness.startTurn(client, THREAD);
  await client.next({ method: ASKED });
  harness.server.child.signal("SIGTERM");
  await within(harness.server.child.exit, 8000, "the end of the server");
  expect(ran(harness)).toEqual(["one"]);
  await harness.restart("SIGKILL");
  const next = await harness.connect();
  await next.result("thread/resume", { threadId });
  const again = await next.next({ method: ASKED });
  next.answer(again["id"] as number, { decision: "accept" });
  await next.next(COMPLETED);
  expect(ran(harness)).toEqual(["one", "two"]);
  expect(outputs(harness)["call_1"]).toContain("Process exited with code 0");
});

test("the end of the input of a stdio server leaves the turn to the next one", async () => {
  const harness = await open({ transport: "stdio" });
  const { threadId, turnId } = await ask(harness, await harness.connect());
  await harness.restart("end of input");
  const client = await harness.connect();
  await client.result("thread/resume", { threadId });
  const again = await client.next({ method: ASKED });
  client.answer(again["id"] as number, { decision: "acceptForSession" });
  await client.next({ method: "turn/completed", params: { turn: { id: turnId, status: "completed" } } });
  expect(ran(harness)).toEqual(["one", "three", "two"]);
});

test("a turn that waits goes to the server that takes its thread over", async () => {
  const harness = await open();
  const client = await harness.connect();
  const { threadId } = await ask(harness, client);
  const other = await startServer({ home: harness.home });
  try {
    const taker = await initialize(await other.connect(), "taker");
    await taker.result("thread/resume", { threadId, takeOver: true });
    const again = await taker.next({ method: ASKED });
    taker.answer(again["id"] as number, { decision: "accept" });
    await taker.next(COMPLETED);
    expect(ran(harness)).toEqual(["one", "three", "two"]);
  } finally {
    await other.stop();
  }
});
