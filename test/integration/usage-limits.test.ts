/** Turns that wait for the end of a usage limit, also without a client and in another process. */
import { describe, expect, test, vi } from "vitest";
import type { JsonObject } from "../support/json.ts";
import { messageReply } from "../support/model-events.ts";
import { openQueueHarness, type QueueHarness, type Server } from "../support/queue-harness.ts";
import type { ModelReply } from "../support/scripted-model.ts";

const TABLES = "[queue]\nbackground = true\n[limits]\non_usage_limit = 'suspend'\n";
const DONE = messageReply("Done");
const WS = { transport: "ws" } as const;
const PATIENCE = { timeout: 40_000, interval: 50 };

function limit(seconds: number): ModelReply {
  const resetsAt = Math.ceil(Date.now() / 1000) + seconds;
  return {
    status: 429,
    body: { error: { type: "usage_limit_reached", message: "used up", resets_at: resetsAt } },
  };
}

async function startTurn({ client }: Server, text = "hello") {
  const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
  const input = [{ type: "text", text }];
  const { turn } = (await client.result("turn/start", { threadId: thread.id, input })) as {
    turn: { id: string };
  };
  return { threadId: thread.id, turnId: turn.id };
}

async function read({ client }: Server, threadId: string) {
  return (
    (await client.result("thread/read", { threadId, includeTurns: true })) as {
      thread: { waiting?: JsonObject; turns: JsonObject[]; status: JsonObject };
    }
  ).thread;
}

const waits = (server: Server, threadId: string): Promise<JsonObject> =>
  vi.waitFor(async () => {
    const { waiting } = await read(server, threadId);
    expect(waiting).toMatchObject({ reason: "usageLimit" });
    return waiting as JsonObject;
  }, PATIENCE);

const ends = (server: Server, threadId: string, status: string): Promise<JsonObject> =>
  vi.waitFor(async () => {
    const [turn] = (await read(server, threadId)).turns;
    expect(turn).toMatchObject({ status });
    return turn as JsonObject;
  }, PATIENCE);

const open = (): Promise<QueueHarness> => openQueueHarness([], TABLES);

describe("a turn that waits for the end of a usage limit", () => {
  test.each([
    ["kill -9", (server: Server) => server.kill()],
    [
      "a drain",
      async (server: Server) => {
        await server.end();
        await server.ended;
      },
    ],
  ])("continues exactly once after %s, without a client of its thread", async (_, stop) => {
    const harness = await open();
    harness.model.extend([limit(3), DONE]);
    const before = await harness.open(WS);
    const { threadId, turnId } = await startTurn(before);
    const waiting = await waits(before, threadId);
    expect(waiting).toMatchObject({ turnId, attempt: 1 });
    await stop(before);
    const after = await harness.open(WS);
    const stored = await read(after, threadId);
    expect(stored.waiting).toEqual(waiting);
    expect(stored.turns).toMatchObject([{ id: turnId, status: "inProgress" }]);
    expect(harness.model.requests.length).toBe(1);
    const turn = await ends(after, threadId, "completed");
    expect(turn["id"]).toBe(turnId);
    expect(Date.now() / 1000).toBeGreaterThanOrEqual((waiting["until"] as number) - 1);
    expect(harness.model.requests.length).toBe(2);
    expect((await read(after, threadId)).waiting ?? null).toBe(null);
  });

  test("is interrupted by a client of the next server", async () => {
    const harness = await open();
    harness.model.extend([limit(600)]);
    const before = await harness.open(WS);
    const { threadId, turnId } = await startTurn(before);
    await waits(before, threadId);
    await before.kill();
    const after = await harness.open(WS);
    await after.client.result("thread/resume", { threadId });
    await after.client.result("turn/interrupt", { threadId, turnId });
    await ends(after, threadId, "interrupted");
    expect(harness.model.requests.length).toBe(1);
  });

  test("holds up the queue of its thread, which says so", async () => {
    const harness = await open();
    harness.model.extend([limit(600)]);
    const server = await harness.open(WS);
    const { threadId, turnId } = await startTurn(server);
    const { until } = await waits(server, threadId);
    await server.client.result("thread/queue/add", {
      threadId,
      input: [{ type: "text", text: "later" }],
      clientUserMessageId: "key",
    });
    const list = () => server.client.result("thread/queue/list", { threadId, cursor: null, limit: null });
    expect(await list()).toMatchObject({ heldUpBy: { type: "usageLimit", turnId, until } });
  });
});

test("ten threads with one limit do not send their requests at once", async () => {
  const harness = await open();
  const threads = 10;
  harness.model.extend([...Array.from({ length: threads }, () => limit(2)), DONE]);
  const server = await harness.open(WS);
  const started = await Promise.all(Array.from({ length: threads }, (_, nth) => startTurn(server, `${nth}`)));
  const untils = await Promise.all(
    started.map(async ({ threadId }) => (await waits(server, threadId))["until"]),
  );
  expect(new Set(untils).size).toBeGreaterThan(2);
  for (const { threadId } of started) await ends(server, threadId, "completed");
  expect(harness.model.requests.length).toBe(2 * threads);
});
