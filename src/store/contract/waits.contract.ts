import { describe, expect, test } from "vitest";
import { MAX_WAIT_MESSAGE, type NewWait } from "../waits.ts";
import { acquireFence, FENCED, T } from "./queue.fixture.ts";
import type { CreateHarness } from "./store-harness.fixture.ts";

const SECOND = 1000;

function newWait(turnId: string, untilMs: number): NewWait {
  return {
    turn: {
      turnId,
      rootTurnId: null,
      parentTurnId: "parent",
      startedAtMs: 5,
      outputSchema: { type: "object" },
      serviceTier: null,
    },
    reason: "usageLimit",
    untilMs,
    attempt: 1,
    message: "used up ä€😀",
  };
}

export function waitsContract(createHarness: CreateHarness): void {
  async function open() {
    const harness = createHarness();
    const store = await harness.open();
    return { harness, store, waits: store.waits, now: harness.now() };
  }

  describe("waits", () => {
    test("are stored as given with the store's time, also for another process", async () => {
      const { harness, store, waits, now } = await open();
      const given = newWait("t1", now + SECOND);
      const wait = { ...given, threadId: T, sinceMs: now };
      expect(await waits.put(await acquireFence(store), given)).toEqual({ kind: "kept", wait });
      const other = await harness.open();
      expect(await other.waits.find(T)).toEqual(wait);
      expect(await other.waits.list(9)).toEqual([wait]);
      expect(await other.waits.find("another")).toBe(null);
    });

    test("replace the earlier one of their thread, and are removed by their turn", async () => {
      const { store, waits, now } = await open();
      const fence = await acquireFence(store);
      await waits.put(fence, newWait("t1", now + SECOND));
      await waits.put(fence, { ...newWait("t1", now + 2 * SECOND), attempt: 2 });
      expect(await waits.list(9)).toMatchObject([{ attempt: 2, untilMs: now + 2 * SECOND }]);
      expect(await waits.remove(fence, "t2")).toBe(false);
      expect(await waits.remove(fence, "t1")).toBe(true);
      expect(await waits.remove(fence, "t1")).toBe(false);
      expect(await waits.list(9)).toEqual([]);
    });

    test("are due in the order of their ends", async () => {
      const { harness, store, waits, now } = await open();
      for (const [threadId, seconds] of [
        ["c", 3],
        ["a", 1],
        ["b", 2],
      ] as const)
        await waits.put(await acquireFence(store, threadId), newWait("t", now + seconds * SECOND));
      const all = { threadIds: [], laterIds: ["a", "b", "c"], nextAtMs: now + SECOND };
      expect(await waits.due()).toEqual(all);
      harness.advance(2 * SECOND);
      const some = { threadIds: ["a", "b"], laterIds: ["c"], nextAtMs: now + 3 * SECOND };
      expect(await waits.due()).toEqual(some);
      harness.advance(SECOND);
      expect(await waits.due()).toEqual({ threadIds: ["a", "b", "c"], laterIds: [], nextAtMs: null });
      expect((await waits.list(2)).map(({ threadId }) => threadId)).toEqual(["a", "b"]);
    });

    test("are changed by the holder of the thread only", async () => {
      const { harness, store, waits, now } = await open();
      const fence = await acquireFence(store);
      await waits.put(fence, newWait("t1", now));
      await acquireFence(await harness.open());
      expect(await waits.put(fence, newWait("t2", now))).toEqual(FENCED);
      expect(await waits.remove(fence, "t1")).toEqual(FENCED);
      expect(await waits.find(T)).toMatchObject({ turn: { turnId: "t1" } });
    });

    test("keep the beginning of a long message", async () => {
      const { store, waits, now } = await open();
      const message = `${"x".repeat(MAX_WAIT_MESSAGE - 1)}😀`;
      await waits.put(await acquireFence(store), { ...newWait("t", now), message });
      expect((await waits.find(T))?.message).toBe(`${"x".repeat(MAX_WAIT_MESSAGE - 1)}\ufffd`);
    });

    test("go with their thread", async () => {
      const { store, waits, now } = await open();
      await waits.put(await acquireFence(store), newWait("t", now));
      await store.forgetQueue(T);
      expect(await waits.find(T)).toBe(null);
    });
  });
}
