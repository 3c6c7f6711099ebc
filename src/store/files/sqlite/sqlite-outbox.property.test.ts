/** Random commands have the same results in SQLite as in memory, with two processes on the same deliveries. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { createMemoryOutbox, emptyOutboxMemory } from "../../memory/memory-outbox.ts";
import { type ClaimedDelivery, DELIVERY_TTL_MS, type Outbox } from "../../outbox.ts";
import { openConnection } from "./connection.ts";
import { createSqliteOutbox } from "./sqlite-outbox.ts";

const MAX = 6;
const process = fc.nat(1);
const endpointId = fc.constantFrom("one", "two");
const threadId = fc.constantFrom("thread", "other", null);

const command = fc.oneof(
  fc.record({ type: fc.constant("enqueue" as const), process, endpointId, threadId, eventId: fc.nat(20) }),
  fc.record({
    type: fc.constant("claim" as const),
    process,
    endpointId,
    limit: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    type: fc.constant("finish" as const),
    process,
    claim: fc.nat(9),
    how: fc.constantFrom("delivered", "failed", "tooLate", "released"),
  }),
  fc.record({ type: fc.constant("advance" as const), ms: fc.constantFrom(1, 5000, 60_000, DELIVERY_TTL_MS) }),
  fc.record({ type: fc.constant("retry" as const), process, number: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ type: fc.constant("retryAll" as const), process, endpointId }),
  fc.record({ type: fc.constant("switchOff" as const), process, endpointId }),
  fc.record({ type: fc.constant("switchOn" as const), process, endpointId }),
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

const OUTCOMES = {
  delivered: { kind: "delivered", result: { status: 200, error: null } },
  failed: { kind: "failed", result: { status: 500, error: "no" }, retryAfterMs: 5000 },
  tooLate: { kind: "failed", result: { status: null, error: "no" }, retryAfterMs: DELIVERY_TTL_MS + 1 },
  released: { kind: "released" },
} as const;

/** One backend with two processes; claims are remembered in order. */
function createRunner(outboxes: readonly [Outbox, Outbox], clock: ReturnType<typeof createFakeClock>) {
  const claims: ClaimedDelivery[] = [];
  async function run(next: Command): Promise<unknown> {
    if (next.type === "advance") return clock.advance(next.ms);
    const outbox = outboxes[next.process === 0 ? 0 : 1];
    switch (next.type) {
      case "enqueue": {
        const { endpointId: id, threadId: thread, eventId } = next;
        const delivery = { eventId: `e${eventId}`, endpointId: id, threadId: thread, type: "t", body: "{}" };
        return outbox.enqueue([delivery]);
      }
      case "claim": {
        const claimed = await outbox.claim(next.endpointId, next.limit);
        const sorted = [...claimed].sort((one, other) => one.number - other.number);
        claims.push(...sorted);
        return sorted;
      }
      case "finish": {
        const claim = claims[claims.length - 1 - next.claim];
        return claim === undefined ? null : outboxes[0].finish(claim, OUTCOMES[next.how]);
      }
      case "retry":
        return outbox.retry({ number: next.number });
      case "retryAll":
        return outbox.retry({ endpointId: next.endpointId });
      case "switchOff":
        return outbox.switchOff(next.endpointId, "gone");
      case "switchOn":
        return outbox.switchOn(next.endpointId);
    }
  }
  async function look(): Promise<unknown> {
    const [outbox] = outboxes;
    const endpoints = (await outbox.endpoints()).toSorted((a, b) => a.endpointId.localeCompare(b.endpointId));
    const next = await outbox.nextDueMs(["one", "two"]);
    return [await outbox.list({ limit: 99 }), endpoints, await outbox.totals(), next];
  }
  return { run, look };
}

test("SQLite and memory agree, and no thread has two deliveries under way to one endpoint", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
      const [clock, twin] = [createFakeClock(1_000_000), createFakeClock(1_000_000)];
      const memory = emptyOutboxMemory();
      const connection = openConnection(":memory:");
      try {
        // One owner, because `finish` is that of the process that has claimed.
        const open = () => createSqliteOutbox(connection, { owner: "me", clock: twin, maxDeliveries: MAX });
        const inMemory = createMemoryOutbox(memory, clock, MAX);
        const [one, other] = [
          createRunner([inMemory, inMemory], clock),
          createRunner([open(), open()], twin),
        ];
        for (const next of commands) {
          expect(await other.run(next)).toEqual(await one.run(next));
          expect(await other.look()).toEqual(await one.look());
          const [listed] = (await one.look()) as [
            { state: string; threadId: string | null; endpointId: string }[],
          ];
          const busy = listed
            .filter((each) => each.state === "claimed" && each.threadId !== null)
            .map((each) => `${each.threadId} ${each.endpointId}`);
          expect(new Set(busy).size).toBe(busy.length);
        }
      } finally {
        connection.close();
      }
    }),
    { numRuns: 60 },
  );
});
