/**
 * Lifecycle events of threads over the wire: which subscriber receives which events, in which order, with
 * which receipts.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterEach, expect, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import type { LifecycleReceipt } from "../../src/lifecycle/index.ts";
import { EXTENSION_EVENTS, LIFECYCLE_EVENTS } from "../../src/lifecycle/index.ts";
import type {
  LifecycleEventNotification,
  LifecycleSubscribeResponse,
} from "../../src/protocol/generated/types.ts";
import {
  ApprovalHarness,
  type ApprovalHarnessOptions,
  ASKED,
  MAKES_A_FILE,
} from "../support/approval-harness.ts";
import { messageReply, unfinishedReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";

let opened: ApprovalHarness | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

async function open(options: ApprovalHarnessOptions = {}): Promise<ApprovalHarness> {
  opened = await ApprovalHarness.open({ transport: "ws", ...options });
  return opened;
}

const UNTRUSTED = { approvalPolicy: "untrusted", sandbox: "danger-full-access" };
const ALL = [...LIFECYCLE_EVENTS, ...EXTENSION_EVENTS];
const ended = { method: "turn/completed" };
const eventPattern = (event: string) => ({ method: "lifecycle/event", params: { event: { event } } });
const input = (text: string) => [{ type: "text", text }];

async function startThread(client: RpcClient, params: object = UNTRUSTED): Promise<string> {
  const { thread } = (await client.result("thread/start", params)) as { thread: { id: string } };
  return thread.id;
}

async function startTurn(client: RpcClient, threadId: string, text: string): Promise<string> {
  const answer = await client.result("turn/start", { threadId, input: input(text) });
  return (answer as { turn: { id: string } }).turn.id;
}

async function subscribe(
  client: RpcClient,
  threadId: string,
  events?: readonly string[],
): Promise<LifecycleSubscribeResponse> {
  const params = { threadId, ...(events !== undefined && { events }) };
  return (await client.result("lifecycle/subscribe", params)) as LifecycleSubscribeResponse;
}

function receivedEvents({ received }: RpcClient): LifecycleEventNotification[] {
  return received.flatMap(({ message, method }) =>
    method === "lifecycle/event" ? [message["params"] as LifecycleEventNotification] : [],
  );
}

const names = (client: RpcClient) => receivedEvents(client).map(({ event }) => event.event);

async function refusal(client: RpcClient, method: string, params: object): Promise<unknown> {
  return ((await client.request(method, params))["error"] as { message: string }).message;
}

/** As `heddle lifecycle receipt list` prints them. */
async function receipts({ home }: ApprovalHarness, ...args: string[]): Promise<LifecycleReceipt[]> {
  const { stdout } = await promisify(execFile)(
    HEDDLE.command,
    [...HEDDLE.args, "lifecycle", "receipt", "list", ...args],
    { env: serverEnvironment(home) },
  );
  return JSON.parse(stdout) as LifecycleReceipt[];
}

test("a session is told from its beginning to its end, to each client what it asked for", async () => {
  const harness = await open({
    model: [
      MAKES_A_FILE,
      messageReply("Made", { id: "2" }),
      messageReply("A summary", { id: "3" }),
      unfinishedReply("Once upon", "4"),
      messageReply("The end", { id: "5" }),
      unfinishedReply("Once more", "6"),
    ],
  });
  const client = await harness.connect("editor");
  const auditor = await harness.connect("auditor");
  const threadId = await startThread(client);
  const { subscriptionId, events, untold } = await subscribe(client, threadId, ALL);
  expect([events, untold.includes("frame.opening"), untold.includes("tool.failed")]).toEqual([
    ALL,
    false,
    true,
  ]);
  expect((await subscribe(auditor, threadId)).events).toEqual(LIFECYCLE_EVENTS);

  const first = await startTurn(client, threadId, "Go");
  client.answer((await client.next({ method: ASKED }))["id"] as number, { decision: "accept" });
  await client.next(ended);
  await client.result("thread/compact/start", { threadId });
  await client.next(ended);
  const second = await startTurn(client, threadId, "A story");
  await client.next({ method: "item/agentMessage/delta" });
  await client.result("turn/steer", { threadId, expectedTurnId: second, input: input("Shorter") });
  await client.next(ended);
  const third = await startTurn(client, threadId, "Another");
  await client.next({ method: "item/agentMessage/delta", params: { turnId: third } });
  await client.result("turn/interrupt", { threadId, turnId: third });
  await client.next(ended);
  await client.result("thread/archive", { threadId });
  await client.next(eventPattern("session.ended"));
  await auditor.next(eventPattern("session.ended"));
  expect(await refusal(client, "lifecycle/unsubscribe", { subscriptionId })).toContain("it may have ended");

  expect(names(client)).toEqual([
    "session.started",
    "frame.opening",
    "model.requested",
    "model.responded",
    "tool.starting",
    "permission.requested",
    "tool.completed",
    "model.requested",
    "model.responded",
    "frame.ending",
    "context.pressure_observed",
    "context.compacted",
    "session.started",
    "frame.opening",
    "model.requested",
    "frame.opening",
    "model.requested",
    "model.responded",
    "frame.ending",
    "frame.opening",
    "model.requested",
    "interrupt.requested",
    "session.ended",
  ]);
  expect(names(auditor)).toEqual([
    "session.started",
    "frame.opening",
    "frame.ending",
    "context.pressure_observed",
    "context.compacted",
    "session.started",
    "frame.opening",
    "frame.opening",
    "frame.ending",
    "frame.opening",
    "session.ended",
  ]);

  const all = receivedEvents(client);
  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
  expect(all.every((one) => one.subscriptionId === subscriptionId && one.threadId === threadId)).toBe(true);
  const prompts = all.filter(({ event }) => event.event === "frame.opening");
  expect(prompts.map(({ turnId, event }) => [turnId, event.details["prompt"]])).toEqual([
    [first, "Go"],
    [second, "A story"],
    [second, "Shorter"],
    [third, "Another"],
  ]);
  const of = (name: string) => all.filter(({ event }) => event.event === name);
  expect(of("session.started").map(({ turnId, event }) => [turnId, event.details["source"]])).toEqual([
    [null, "startup"],
    [null, "compact"],
  ]);
  expect(of("tool.starting")[0]?.event.details).toMatchObject({ tool_name: "Bash", tool_use_id: "call_1" });
  expect(of("tool.completed")[0]?.turnId).toBe(first);

  const kept = await receipts(harness, "--run", subscriptionId);
  expect(kept.map(({ receipt_id: id, sequence, event }) => [id, sequence, event])).toEqual(
    all.map(({ receiptId, sequence, event }) => [receiptId, sequence, event.event]),
  );
  expect(
    new Set(
      kept.map(({ client_id: id, status, harness_session_id: session }) => `${id} ${status} ${session}`),
    ),
  ).toEqual(new Set([`editor observed ${threadId}`]));
  expect((await receipts(harness, "--client-id", "auditor")).length).toBe(receivedEvents(auditor).length);
});

test("an end is an end, and a new connection begins with a subscription of its own", async () => {
  const harness = await open({
    model: [messageReply("One"), messageReply("Two", { id: "2" }), messageReply("Three", { id: "3" })],
  });
  const [client, other] = [await harness.connect(), await harness.connect("other")];
  const threadId = await startThread(client, {});
  const mine = await subscribe(client, threadId, ["frame.ending"]);
  const theirs = await subscribe(other, threadId, ["frame.ending"]);
  expect(await refusal(other, "lifecycle/unsubscribe", { subscriptionId: mine.subscriptionId })).toContain(
    "no lifecycle subscription",
  );
  await startTurn(client, threadId, "One");
  await client.next(ended);
  await client.next(eventPattern("frame.ending"));
  await other.next(eventPattern("frame.ending"));
  await client.result("lifecycle/unsubscribe", { subscriptionId: mine.subscriptionId });
  await other.close();

  const again = await harness.connect("other");
  const { subscriptionId } = await subscribe(again, threadId, ["frame.opening", "frame.ending"]);
  expect(subscriptionId).not.toBe(theirs.subscriptionId);
  await startTurn(client, threadId, "Two");
  await client.next(ended);
  await again.next(eventPattern("frame.ending"));
  expect([names(client), names(other), names(again)]).toEqual([
    ["frame.ending"],
    ["frame.ending"],
    ["frame.opening", "frame.ending"],
  ]);
  expect(receivedEvents(again).map(({ sequence }) => sequence)).toEqual([1, 2]);
  // Only the remaining subscriber has received events of the second turn.
  expect((await receipts(harness)).map((receipt) => receipt.harness_run_id)).toEqual([
    mine.subscriptionId,
    theirs.subscriptionId,
    subscriptionId,
    subscriptionId,
  ]);
});

test("the end of the server is the end of the session, and is told before it", async () => {
  const harness = await open({ model: [messageReply("One")] });
  const client = await harness.connect();
  const threadId = await startThread(client, {});
  const { subscriptionId } = await subscribe(client, threadId);
  await startTurn(client, threadId, "One");
  await client.next(ended);
  harness.server.child.signal("SIGTERM");
  await harness.server.child.exit;
  expect(names(client)).toEqual(["session.started", "frame.opening", "frame.ending", "session.ended"]);
  expect((await receipts(harness, "--run", subscriptionId)).length).toBe(4);
});

test("what cannot be subscribed to is refused with a reason", async () => {
  const harness = await open({ model: [messageReply("One")] });
  const client = await harness.connect();
  const threadId = await startThread(client, {});
  await startTurn(client, threadId, "One");
  await client.next(ended);
  const why = (params: object) => refusal(client, "lifecycle/subscribe", params);
  expect(await why({ threadId, events: ["frame.opening", "nonsense"] })).toContain(
    'no lifecycle event "nonsense"',
  );
  expect(await why({ threadId, events: ["__proto__"] })).toContain('no lifecycle event "__proto__"');
  expect(await why({ threadId, events: [] })).toContain("events is empty");
  expect(await why({ threadId, events: [5] })).toContain("expected a string");
  expect(await why({ threadId, events: "frame.opening" })).toContain("expected a sequence");
  expect(await why({ threadId: "0199a213-81c0-7800-8aa1-bbab2a035a53" })).toContain("thread not found");
  await client.result("thread/archive", { threadId });
  expect(await why({ threadId })).toContain("thread not loaded");

  const plain = await harness.server.connect();
  await plain.result("initialize", { clientInfo: { name: "plain", title: null, version: "1" } });
  expect(await refusal(plain, "lifecycle/subscribe", { threadId })).toContain("experimentalApi");
});

test("who subscribes 10,000 times and then does not read costs bounded memory, and is let go", {
  timeout: 60_000,
}, async () => {
  const harness = await open({ model: [messageReply("One"), messageReply("Two", { id: "2" })] });
  const client = await harness.connect();
  const threadId = await startThread(client, {});
  const mine = await subscribe(client, threadId);

  const socket = new WebSocket(`ws://${harness.server.address}`, { perMessageDeflate: false });
  onTestFinished(() => socket.terminate());
  await new Promise((resolve) => socket.once("open", resolve));
  const answers: { readonly result?: object }[] = [];
  const answered = new Promise<void>((resolve) => {
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { readonly id?: number; readonly result?: object };
      if (typeof message.id === "number") answers.push(message);
      if (message.id === 10_001) resolve();
    });
  });
  const send = (id: number, method: string, params: object) =>
    socket.send(JSON.stringify({ id, method, params }));
  const capabilities = { experimentalApi: true };
  send(0, "initialize", { clientInfo: { name: "hostile", title: null, version: "1" }, capabilities });
  for (let id = 1; id <= 10_001; id += 1) send(id, "lifecycle/subscribe", { threadId });
  await answered;
  // Subscriptions that the server accepted; others are refused as overload.
  const taken = answers.filter(({ result }) => result !== undefined && "subscriptionId" in result);
  expect(taken.length).toBeGreaterThan(0);
  expect(taken.length).toBeLessThanOrEqual(256);
  expect(answers).toHaveLength(10_002);

  const gone = new Promise((resolve) => socket.once("close", resolve));
  socket.pause();
  await startTurn(client, threadId, "x".repeat(1_000_000));
  await client.next(ended, 30_000);
  await client.next(eventPattern("frame.ending"), 30_000);
  expect(names(client)).toEqual(["session.started", "frame.opening", "frame.ending"]);
  socket.resume();
  await gone;
  const status = readFileSync(`/proc/${harness.server.child.pid}/status`, "utf8");
  const [, peak = "0"] = /^VmHWM:\s+(\d+)/m.exec(status) ?? [];
  expect(Number(peak) / 1024).toBeLessThan(600);

  // Its subscriptions have ended: no further receipts are stored.
  const second = await startTurn(client, threadId, "Two");
  await client.next(ended);
  await client.result("lifecycle/unsubscribe", { subscriptionId: mine.subscriptionId });
  const kept = await receipts(harness, "--client-id", "hostile");
  expect(kept.filter(({ harness_task_id: id }) => id === second)).toEqual([]);
});
