/** Tokens and runs of hooks over all threads: counted once, whatever becomes of the threads and the server. */
import { afterEach, expect, test } from "vitest";
import { ApprovalHarness, type ApprovalHarnessOptions } from "../support/approval-harness.ts";
import type { JsonObject } from "../support/json.ts";
import { messageReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";

let opened: ApprovalHarness | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const REPLIES = Array.from({ length: 6 }, (_, at) => messageReply("Done", { id: String(at) }));
const COMPLETED = { method: "turn/completed" };
const today = () => new Date().toISOString().slice(0, 10);

async function open(options: ApprovalHarnessOptions = {}): Promise<ApprovalHarness> {
  opened = await ApprovalHarness.open({ transport: "ws", model: REPLIES, ...options });
  return opened;
}

interface Summary {
  readonly data: readonly (JsonObject & { readonly turns: number })[];
  readonly total: JsonObject & { readonly turns: number; readonly totalTokens: number };
  readonly pending: number;
}

/** Asks until everything is counted. */
async function usage(client: RpcClient, params: object = {}): Promise<Summary> {
  for (;;) {
    // The day may end during the test.
    const from = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const found = (await client.result("usage/summary", { from, to: today(), ...params })) as Summary;
    if (found.pending === 0) return found;
  }
}

async function turn(client: RpcClient, threadId: string): Promise<void> {
  await client.result("turn/start", { threadId, input: [{ type: "text", text: "Again" }] });
  await client.next(COMPLETED);
}

test("a turn is counted once: in a running thread, after kill -9, with forks and reverts", async () => {
  const harness = await open();
  const client = await harness.connect();
  expect((await usage(client)).total).toMatchObject({ turns: 0, threads: 0, cost: 0 });
  const { threadId, turnId } = await harness.startTurn(client, {});
  await client.next(COMPLETED);
  const one = (await usage(client)).total.totalTokens;
  expect(one).toBeGreaterThan(0);
  expect((await usage(client)).total).toMatchObject({ turns: 1, threads: 1, totalTokens: one, cost: null });
  await turn(client, threadId);
  await harness.restart("SIGKILL");

  const later = await harness.connect();
  expect((await usage(later)).total).toMatchObject({ turns: 2, totalTokens: 2 * one });
  const { thread: fork } = (await later.result("thread/fork", { threadId })) as { thread: { id: string } };
  await turn(later, fork.id);
  expect((await usage(later)).total).toMatchObject({ turns: 3, threads: 2, totalTokens: 3 * one });
  await later.result("thread/resume", { threadId });
  await later.result("thread/revert", { threadId, beforeTurnId: turnId });
  await turn(later, threadId);
  expect((await usage(later)).total).toMatchObject({ turns: 4, threads: 2, totalTokens: 4 * one });
  await harness.restart("SIGKILL");
  const last = await harness.connect();
  expect((await usage(last, { groupBy: ["folder", "model"] })).data).toMatchObject([
    { day: null, folder: harness.home.workspace, turns: 4, threads: 2 },
  ]);
});

test("usage has costs where the configuration has prices, and days of a time zone", async () => {
  const harness = await open({ config: "[prices.mock-model]\ninput = 1000000\noutput = 1000000\n" });
  const client = await harness.connect();
  const { threadId } = await harness.startTurn(client, {});
  await client.next(COMPLETED);
  const { data, total } = await usage(client, { groupBy: ["model"] });
  const { summaries } = (await client.result("thread/list", { withSummaries: true })) as {
    summaries: Record<string, JsonObject>;
  };
  expect(summaries[threadId]).toMatchObject({ cost: total["cost"] });
  expect(data).toMatchObject([{ model: "mock-model", cost: total["cost"] }]);
  expect(total["cost"]).toBe(Number(total["inputTokens"]) + Number(total["outputTokens"]));
  const days = await usage(client, { groupBy: ["day"], timeZone: "UTC" });
  expect(days.data).toMatchObject([{ day: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/), turns: 1 }]);
  const refused = await client.request("usage/summary", { from: "x", to: today() });
  expect(refused["error"]).toMatchObject({ message: "not a day, as 2026-11-30: x" });
});

test("runs of hooks are listed over all threads, with how long each hook takes", async () => {
  const hooks = {
    UserPromptSubmit: [{ hooks: [{ type: "command", command: "true" }] }],
    Stop: [{ hooks: [{ type: "command", command: "exit 1" }] }],
  };
  const harness = await open({ files: { "home/hooks.json": JSON.stringify({ hooks }) } });
  const client = await harness.connect();
  const config = { bypass_hook_trust: true };
  const first = await harness.startTurn(client, { config });
  await client.next(COMPLETED);
  const second = await harness.startTurn(client, { config });
  await client.next(COMPLETED);
  const list = async (params: object = {}) => (await client.result("hook/run/list", params)) as JsonObject;
  const all = await list();
  expect(all).toMatchObject({ nextCursor: null, pending: 0 });
  expect(all["data"]).toHaveLength(4);
  const [newest] = all["data"] as JsonObject[];
  expect(newest).toMatchObject({ threadId: second.threadId, turnId: second.turnId });
  expect(all["stats"]).toMatchObject([
    { eventName: expect.any(String), runs: 2, p50Ms: expect.any(Number), p95Ms: expect.any(Number) },
    { runs: 2 },
  ]);
  expect((await list({ threadId: first.threadId, eventName: "stop" }))["data"]).toMatchObject([
    { threadId: first.threadId, run: { eventName: "stop", status: "failed" } },
  ]);
  const page = await list({ limit: 3 });
  expect(page["data"]).toHaveLength(3);
  const rest = await list({ limit: 3, cursor: page["nextCursor"] });
  expect(rest).toMatchObject({ nextCursor: null, stats: [] });
  expect(rest["data"]).toHaveLength(1);
  expect((await client.request("hook/run/list", { cursor: "x" }))["error"]).toMatchObject({
    message: "invalid cursor: x",
  });
});

test("turns that a fork of a legacy thread has copied are counted once", async () => {
  const harness = await open();
  const client = await harness.connect();
  const { threadId } = await harness.startTurn(client, { historyMode: "legacy" });
  await client.next(COMPLETED);
  const one = (await usage(client)).total.totalTokens;
  expect(one).toBeGreaterThan(0);
  const { thread: fork } = (await client.result("thread/fork", { threadId })) as {
    thread: { id: string; historyMode: string };
  };
  expect(fork.historyMode).toBe("legacy");
  expect((await usage(client)).total).toMatchObject({ turns: 1, totalTokens: one });
  await turn(client, fork.id);
  expect((await usage(client)).total).toMatchObject({ turns: 2, threads: 2, totalTokens: 2 * one });
});
