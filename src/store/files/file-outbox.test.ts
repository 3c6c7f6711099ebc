import { expect, test } from "vitest";
import type { Clock } from "../../base/clock.ts";
import type { Turn } from "../../protocol/generated/types.ts";
import { createFileOutbox } from "./file-outbox.ts";
import { openSqliteTables } from "./sqlite/sqlite-tables.ts";
import type { Liveness } from "./threads/lease-owner.ts";

const ANNOUNCED = [
  { eventId: "a", endpointId: "one", type: "turn.ended", threadId: "thread", body: "{}" },
] as const;

/** An outbox in which a process holds back the announcement of a turn's end, and that of another process. */
async function hold(completedAt: Turn["completedAt"] | undefined, liveness: Liveness) {
  let now = 1000;
  const clock: Pick<Clock, "now"> = { now: () => now };
  const { outbox: table, close } = openSqliteTables(":memory:", { owner: "dead" });
  await table.hold("t1", ANNOUNCED);
  const turns = completedAt === undefined ? [] : [{ id: "t1", status: "interrupted", completedAt } as Turn];
  const threads = {
    turns: async () => ({ kind: "page", data: turns, nextCursor: null, backwardsCursor: null }) as const,
  };
  const outbox = createFileOutbox(table, { threads, clock, liveness: () => liveness });
  const advance = (ms: number) => {
    now += ms;
  };
  return { outbox, table, advance, close };
}

test.each([
  ["delivers what a dead process held back where the turn has ended", 5, "dead", 1, 0],
  ["deletes it where the end of the turn was not written", null, "dead", 0, 0],
  ["deletes it where the turn is gone", undefined, "dead", 0, 0],
  ["leaves it to a living process", 5, "alive", 0, 1],
  ["leaves it for a while to a process that may live", 5, "unknown", 0, 1],
] as const)("%s", async (...row) => {
  const [, completedAt, liveness, delivered, held] = row;
  const { outbox, table, close } = await hold(completedAt, liveness);
  expect(await outbox.claim("one", 9)).toHaveLength(delivered);
  expect(await table.held()).toHaveLength(held);
  expect(await outbox.list({ limit: 9 })).toHaveLength(delivered);
  await close();
});

test("does not wait long for a process that may live", async () => {
  const { outbox, advance, close } = await hold(5, "unknown");
  advance(Date.now() + 60_000);
  expect(await outbox.claim("one", 9)).toHaveLength(1);
  await close();
});
