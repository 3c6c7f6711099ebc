import { describe, expect, test } from "vitest";
import type { Journal } from "../journal.ts";
import { completed, started } from "../lines/lines.fixture.ts";
import {
  CLAIM_MS,
  type ClaimedDelivery,
  DELIVERY_TTL_MS,
  type DeliveryQuery,
  MAX_ERROR_CHARACTERS,
  type NewDelivery,
  type Outbox,
} from "../outbox.ts";
import { type CreateHarness, opened } from "./store-harness.fixture.ts";

const delivery = (eventId: string, members: Partial<NewDelivery> = {}): NewDelivery => ({
  eventId,
  endpointId: "one",
  type: "turn.ended",
  threadId: "thread",
  body: `{"id":"${eventId}"}`,
  ...members,
});
const DELIVERED = { kind: "delivered", result: { status: 204, error: null } } as const;
const failed = (retryAfterMs: number) =>
  ({ kind: "failed", result: { status: 503, error: "HTTP 503" }, retryAfterMs }) as const;

const eventIds = (claims: readonly ClaimedDelivery[]) => claims.map(({ eventId }) => eventId);

async function claimOne(outbox: Outbox, endpointId = "one"): Promise<ClaimedDelivery> {
  const [claimed] = await outbox.claim(endpointId, 1);
  if (claimed === undefined) throw new Error("nothing is due");
  return claimed;
}

async function states(outbox: Outbox, query: Partial<DeliveryQuery> = {}): Promise<string[]> {
  const found = await outbox.list({ limit: 100, ...query });
  return found.map(({ eventId, state }) => `${eventId} ${state}`);
}

/** Deliveries: kept, ordered, and attempted by one process at a time. */
export function outboxContract(createHarness: CreateHarness): void {
  async function open(maxDeliveries?: number) {
    const harness = createHarness({ maxDeliveries });
    return { harness, outbox: (await harness.open()).outbox };
  }

  describe("the outbox", () => {
    test("has each event once for each endpoint", async () => {
      const { harness, outbox } = await open();
      const both = [delivery("a"), delivery("a", { endpointId: "two" })];
      expect(await outbox.enqueue(both)).toEqual({ added: 2, dropped: 0 });
      expect(await outbox.enqueue(both)).toEqual({ added: 0, dropped: 0 });
      const [first] = await outbox.list({ endpointId: "one", limit: 1 });
      expect(first).toEqual({
        number: 1,
        eventId: "a",
        endpointId: "one",
        type: "turn.ended",
        threadId: "thread",
        state: "pending",
        attempts: 0,
        createdAtMs: harness.now(),
        dueAtMs: harness.now(),
        finishedAtMs: null,
        result: null,
      });
      expect((await claimOne(outbox, "two")).body).toBe('{"id":"a"}');
    });

    test("lets a delivery of a thread wait for the one before it to the same endpoint", async () => {
      const { harness, outbox } = await open();
      await outbox.enqueue([
        delivery("a"),
        delivery("b"),
        delivery("c", { threadId: "other" }),
        delivery("d", { threadId: null }),
        delivery("e", { threadId: null }),
        delivery("b", { endpointId: "two" }),
      ]);
      const [first] = await outbox.claim("one", 1);
      expect(first?.eventId).toBe("a");
      expect(eventIds(await outbox.claim("one", 9))).toEqual(["c", "d", "e"]);
      expect(eventIds(await outbox.claim("two", 9))).toEqual(["b"]);
      if (first === undefined) throw new Error("nothing was due");
      expect(await outbox.finish(first, failed(5000))).toBe("pending");
      expect(await outbox.claim("one", 9)).toEqual([]);
      expect(await outbox.nextDueMs(["one"])).toBe(harness.now() + 5000);
      harness.advance(5000);
      const again = await claimOne(outbox);
      expect(again).toMatchObject({ eventId: "a", attempts: 2 });
      expect(await outbox.finish(again, DELIVERED)).toBe("delivered");
      expect(eventIds(await outbox.claim("one", 9))).toEqual(["b"]);
    });

    test("gives a delivery to one process, and to another one when the claim of a dead one has ended", async () => {
      const harness = createHarness();
      const [dead, other] = [await harness.openDead(), await harness.open()];
      await dead.outbox.enqueue([delivery("a")]);
      const lost = await claimOne(dead.outbox);
      expect(await other.outbox.claim("one", 9)).toEqual([]);
      expect(await other.outbox.nextDueMs(["one"])).toBe(harness.now() + CLAIM_MS);
      harness.advance(CLAIM_MS);
      const claimed = await claimOne(other.outbox);
      expect(claimed).toMatchObject({ eventId: "a", attempts: 2 });
      expect(await dead.outbox.finish(lost, DELIVERED)).toBe("lost");
      expect(await other.outbox.finish(claimed, DELIVERED)).toBe("delivered");
      expect(await other.outbox.finish(claimed, DELIVERED)).toBe("lost");
    });

    test("does not count an attempt that was broken off", async () => {
      const { outbox } = await open();
      await outbox.enqueue([delivery("a")]);
      expect(await outbox.finish(await claimOne(outbox), { kind: "released" })).toBe("pending");
      expect((await claimOne(outbox)).attempts).toBe(1);
    });

    test("abandons what would be retried too late, and retries it when asked to", async () => {
      const { harness, outbox } = await open();
      await outbox.enqueue([delivery("a"), delivery("b")]);
      const claimed = await claimOne(outbox);
      const long = { status: null, error: "x".repeat(MAX_ERROR_CHARACTERS + 1) };
      const outcome = { kind: "failed", result: long, retryAfterMs: DELIVERY_TTL_MS + 1 } as const;
      expect(await outbox.finish(claimed, outcome)).toBe("abandoned");
      expect(await outbox.list({ state: "abandoned", limit: 9 })).toMatchObject([
        { eventId: "a", dueAtMs: null, finishedAtMs: harness.now(), result: { atMs: harness.now() } },
      ]);
      const [shown] = await outbox.list({ state: "abandoned", limit: 1 });
      expect(shown?.result?.error?.length).toBe(MAX_ERROR_CHARACTERS);
      expect(await outbox.retry({ number: claimed.number })).toBe(1);
      expect(eventIds(await outbox.claim("one", 9))).toEqual(["a"]);
      expect(await outbox.retry({ endpointId: "one" })).toBe(1);
      expect(await outbox.retry({ number: 999 })).toBe(0);
    });

    test("retries an earlier delivery of a thread only when the later one is not under way", async () => {
      const { outbox } = await open();
      await outbox.enqueue([delivery("a"), delivery("b")]);
      const first = await claimOne(outbox);
      await outbox.finish(first, failed(DELIVERY_TTL_MS + 1));
      const second = await claimOne(outbox);
      expect(await outbox.retry({ number: first.number })).toBe(1);
      expect(await outbox.claim("one", 9)).toEqual([]);
      expect(await outbox.finish(second, failed(0))).toBe("pending");
      expect(eventIds(await outbox.claim("one", 9))).toEqual(["a"]);
    });

    test("takes nothing for an endpoint that is off, and abandons what waits for it", async () => {
      const { harness, outbox } = await open();
      await outbox.enqueue([delivery("a"), delivery("a", { endpointId: "two" })]);
      await outbox.switchOff("one", "it answered 410");
      expect(await outbox.enqueue([delivery("b")])).toEqual({ added: 0, dropped: 0 });
      expect(await states(outbox)).toEqual(["a pending", "a abandoned"]);
      const off = { reason: "it answered 410", atMs: harness.now() };
      expect(await outbox.endpoints()).toEqual([{ endpointId: "one", off, dropped: 0 }]);
      expect(await outbox.switchOn("one")).toBe(true);
      expect(await outbox.switchOn("one")).toBe(false);
      expect(await outbox.endpoints()).toEqual([]);
      expect(await outbox.enqueue([delivery("b")])).toEqual({ added: 1, dropped: 0 });
    });

    test("evicts the oldest finished delivery when it is full, and else drops new ones and counts them", async () => {
      const { outbox } = await open(2);
      await outbox.enqueue([delivery("a"), delivery("b")]);
      expect(await outbox.enqueue([delivery("c")])).toEqual({ added: 0, dropped: 1 });
      expect(await outbox.endpoints()).toEqual([{ endpointId: "one", off: null, dropped: 1 }]);
      await outbox.finish(await claimOne(outbox), DELIVERED);
      expect(await outbox.enqueue([delivery("d")])).toEqual({ added: 1, dropped: 0 });
      expect(await states(outbox)).toEqual(["d pending", "b pending"]);
    });

    test("lists the newest first, in pages, and has totals", async () => {
      const { harness, outbox } = await open();
      const createdAtMs = harness.now();
      await outbox.enqueue(["a", "b", "c"].map((eventId) => delivery(eventId)));
      harness.advance(1000);
      expect(await states(outbox, { limit: 2 })).toEqual(["c pending", "b pending"]);
      expect(await states(outbox, { before: 2 })).toEqual(["a pending"]);
      expect(await outbox.totals()).toEqual({ pending: 3, abandoned: 0, oldestAtMs: createdAtMs });
      await outbox.switchOff("one", "gone");
      expect(await outbox.totals()).toEqual({ pending: 0, abandoned: 3, oldestAtMs: null });
    });
  });

  describe("the announcement of a turn's end", () => {
    const announced = (journal: Journal, eventId: string) =>
      ({
        kind: "turnAnnounced",
        turnId: "t1",
        deliveries: [delivery(eventId, { threadId: journal.threadId })],
      }) as const;

    test("is in the outbox when its lines are in the journal", async () => {
      const harness = createHarness();
      const { threads, outbox } = await harness.open();
      const journal = threads.create(harness.origin());
      await journal.append([started("t1")]);
      expect((await journal.append([completed("t1", "hi")], [announced(journal, "a")])).kind).toBe("kept");
      expect(eventIds(await outbox.claim("one", 9))).toEqual(["a"]);
    });

    test("is dropped with its lines", async () => {
      const harness = createHarness();
      const [one, other] = [await harness.open(), await harness.open()];
      const journal = one.threads.create(harness.origin());
      await journal.append([started("t1")]);
      const taken = await opened(other.threads, journal.threadId, { takeOver: true });
      await taken.persist();
      expect((await journal.append([completed("t1", "hi")], [announced(journal, "a")])).kind).toBe("fenced");
      expect(await other.outbox.claim("one", 9)).toEqual([]);
      expect(await other.outbox.list({ limit: 9 })).toEqual([]);
    });
  });
}
