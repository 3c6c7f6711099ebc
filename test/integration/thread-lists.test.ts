/** Lists of threads and queues without a subscription for each thread. */
import { afterEach, expect, test } from "vitest";
import { ApprovalHarness, type ApprovalHarnessOptions, ASKED } from "../support/approval-harness.ts";
import type { JsonObject } from "../support/json.ts";
import { messageReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";

let opened: ApprovalHarness | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const THREAD = { approvalPolicy: "untrusted" };
const SUMMARY = "thread/summary/changed";
const input = (text: string) => [{ type: "text", text }];
const summary = (members: object) => ({ method: SUMMARY, params: { summary: members } });

async function open(options: ApprovalHarnessOptions = {}): Promise<ApprovalHarness> {
  opened = await ApprovalHarness.open({ transport: "ws", ...options });
  return opened;
}

const queue = (client: RpcClient, threadId: string, text: string) =>
  client.result("thread/queue/add", { threadId, input: input(text), clientUserMessageId: text });

test("queues of all threads are listed with their heads, and changes are notified", async () => {
  const harness = await open();
  const editor = await harness.connect();
  const phone = await harness.connect("phone");
  expect(await phone.result("queue/list", { subscribe: true })).toEqual({ data: [], nextCursor: null });
  const { threadId, turnId } = await harness.startTurn(editor, THREAD);
  await editor.next({ method: ASKED });
  for (const text of ["one", "two", "three", "four"]) await queue(editor, threadId, text);
  const heldUpBy = { type: "question", turnId };
  await phone.next({ method: "queue/changed", params: { queue: { threadId, total: 4, heldUpBy } } });
  expect(await phone.result("queue/list", { rows: 2 })).toMatchObject({
    data: [
      {
        threadId,
        preview: "Go",
        cwd: harness.home.workspace,
        pauseReason: null,
        heldUpBy,
        rows: [{ id: expect.any(String), input: input("one") }, { input: input("two") }],
        total: 4,
      },
    ],
    nextCursor: null,
  });
  const other = await harness.startTurn(editor, THREAD);
  await editor.result("thread/queue/pause", { threadId: other.threadId, reason: "lunch" });
  await queue(editor, other.threadId, "five");
  await phone.next({ method: "queue/changed", params: { queue: { total: 1, pauseReason: "lunch" } } });
  const first = (await phone.result("queue/list", { limit: 1 })) as JsonObject;
  expect(first).toMatchObject({ data: [{ threadId: other.threadId, total: 1 }] });
  expect(await phone.result("queue/list", { limit: 1, cursor: first["nextCursor"] })).toMatchObject({
    data: [{ threadId, total: 4 }],
    nextCursor: null,
  });
  await phone.result("queue/list", { subscribe: false });
});

test("summaries follow a thread that the connection has not subscribed to", async () => {
  const harness = await open();
  const phone = await harness.connect("phone", { threadSummaries: true });
  const editor = await harness.connect();
  const { threadId } = await harness.startTurn(editor, THREAD);
  const asked = await editor.next({ method: ASKED });
  await phone.next(
    summary({
      threadId,
      status: { type: "active", activeFlags: ["waitingOnApproval"] },
      lastTurnStatus: "inProgress",
      queueLength: 0,
      preview: "Go",
    }),
  );
  await queue(editor, threadId, "next");
  await phone.next(summary({ threadId, queueLength: 1 }));
  await editor.result("thread/name/set", { threadId, name: "Mine" });
  await phone.next(summary({ threadId, name: "Mine" }));
  await editor.result("thread/queue/pause", { threadId });
  editor.answer(asked["id"] as number, { decision: "accept" });
  await editor.next({ method: "turn/completed" });
  const ended = { status: { type: "idle" }, lastTurnStatus: "completed" };
  await phone.next(summary({ threadId, name: "Mine", queueLength: 1, ...ended }));

  const listed = (await phone.result("thread/list", { withSummaries: true })) as JsonObject;
  expect(listed["summaries"]).toMatchObject({
    [threadId]: { threadId, name: "Mine", queueLength: 1, totalTokens: expect.any(Number), ...ended },
  });
  expect(await phone.result("thread/list", {})).not.toHaveProperty("summaries");
  // The next message would have been sent before the response.
  expect(editor.received.some(({ message }) => message["method"] === SUMMARY)).toBe(false);
});

test("a thread that is not loaded is listed with the end of its last turn, also after kill -9", async () => {
  const harness = await open({ model: [messageReply("Done", { id: "1" })] });
  const editor = await harness.connect();
  const { threadId } = await harness.startTurn(editor, THREAD);
  await editor.next({ method: "turn/completed" });
  await harness.restart("SIGKILL");
  const client = await harness.connect();
  const listed = (await client.result("thread/list", { withSummaries: true })) as JsonObject;
  expect(listed["summaries"]).toMatchObject({
    [threadId]: {
      status: { type: "notLoaded" },
      lastTurnStatus: "completed",
      totalTokens: expect.any(Number),
      queueLength: 0,
      waiting: null,
      readState: { revision: expect.any(String) },
    },
  });
});

test("the capability for summaries needs the experimental one", async () => {
  const harness = await open();
  const client = await harness.server.connect();
  const clientInfo = { name: "plain", title: null, version: "1" };
  const refused = await client.request("initialize", {
    clientInfo,
    capabilities: { threadSummaries: true },
  });
  expect(refused["error"]).toMatchObject({ message: expect.stringContaining("experimentalApi") });
});
