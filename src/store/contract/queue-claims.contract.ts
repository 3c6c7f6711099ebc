import { expect, test } from "vitest";
import type { Queue } from "../queue.ts";
import { newRow, ROOMY, textParams, WHOLE } from "../queue-row.fixture.ts";
import {
  acquireFence,
  addAll,
  claimed,
  FAILED,
  FAILURE,
  none,
  STARTED,
  T,
  visible,
} from "./queue.fixture.ts";
import type { CreateHarness } from "./store-harness.fixture.ts";

/** Claims: which row starts next, and how its claim is resolved. */
export function queueClaimsContract(createHarness: CreateHarness): void {
  test("hands its first row to a claim, which hides the row", async () => {
    const store = await createHarness().open();
    const { queue } = store;
    const fence = await acquireFence(store);
    expect(await queue.claim(fence, "turn")).toEqual(none("empty"));
    await addAll(queue, ["a", "b"]);
    expect(await claimed(queue, fence, "turn")).toMatchObject({
      rowId: "a",
      state: "dispatching",
      turnId: "turn",
    });
    expect(await visible(queue)).toEqual(["b pending"]);
    expect((await queue.list(T, WHOLE)).total).toBe(1);
    expect([await queue.claim(fence, "second"), await queue.claim(fence, "third", "b")]).toEqual([
      none("dispatching"),
      none("dispatching"),
    ]);
    expect([
      await queue.update(T, "a", { params: {} }, ROOMY),
      await queue.remove(T, "a"),
      await queue.reorder(T, ["b", "a"]),
      await queue.reorder(T, ["b"]),
    ]).toEqual([{ kind: "unknownRow" }, false, false, true]);
    await queue.remove(T, "b");
    expect(await queue.threads()).toEqual([T]);
  });

  test("counts the visible rows of all threads, and reports the age of the oldest", async () => {
    const harness = createHarness();
    const store = await harness.open();
    const { queue } = store;
    expect(await queue.totals()).toEqual({ pending: 0, failed: 0, oldestAtMs: null });
    for (const [rowId, threadId] of [
      ["a", T],
      ["b", T],
      ["c", "other"],
    ] as const) {
      await addAll(queue, [rowId], threadId);
      harness.advance(5000);
    }
    const { rows } = await queue.list(T, WHOLE);
    const [first, second] = rows.map(({ createdAtMs }) => createdAtMs);
    const last = (await queue.list("other", WHOLE)).rows[0]?.createdAtMs;
    expect(await queue.totals()).toEqual({ pending: 3, failed: 0, oldestAtMs: first });
    const fence = await acquireFence(store);
    await claimed(queue, fence, "turn");
    expect(await queue.totals()).toEqual({ pending: 2, failed: 0, oldestAtMs: second });
    await queue.ack(fence, "a", "turn", FAILED);
    expect(await queue.totals()).toEqual({ pending: 2, failed: 1, oldestAtMs: first });
    await store.forgetQueue(T);
    expect(await queue.totals()).toEqual({ pending: 1, failed: 0, oldestAtMs: last });
  });

  test("acknowledges a claim only for its own turn, and once", async () => {
    const store = await createHarness().open();
    const { queue } = store;
    const fence = await acquireFence(store);
    await addAll(queue, ["a", "b"]);
    await claimed(queue, fence, "turn");
    for (const [rowId, turnId] of [
      ["a", "other"],
      ["b", "turn"],
      ["x", "turn"],
    ] as const)
      for (const outcome of [STARTED, FAILED])
        expect(await queue.ack(fence, rowId, turnId, outcome)).toBe(false);
    expect(await queue.ack(fence, "a", "turn", STARTED)).toBe(true);
    expect(await queue.ack(fence, "a", "turn", FAILED)).toBe(false);
    expect(await visible(queue)).toEqual(["b pending"]);
    expect(await claimed(queue, fence, "next")).toMatchObject({ rowId: "b" });
  });

  test("keeps rows that were added during a claim behind it, even after a reorder", async () => {
    const store = await createHarness().open();
    const { queue } = store;
    const fence = await acquireFence(store);
    await addAll(queue, ["a", "b"]);
    await claimed(queue, fence, "turn");
    await addAll(queue, ["c"]);
    await queue.reorder(T, ["c", "b"]);
    await addAll(queue, ["d"]);
    await queue.ack(fence, "a", "turn", FAILED);
    expect(await visible(queue)).toEqual(["a failed", "c pending", "b pending", "d pending"]);
  });

  for (const [how, unblock, next] of [
    ["removed", (queue: Queue) => queue.remove(T, "a"), "b"],
    ["put behind", (queue: Queue) => queue.reorder(T, ["b", "a"]), "b"],
    ["changed", (queue: Queue) => queue.update(T, "a", { params: textParams("better") }, ROOMY), "a"],
  ] as const)
    test(`waits behind a failed row until that is ${how}`, async () => {
      const store = await createHarness().open();
      const { queue } = store;
      const fence = await acquireFence(store);
      await addAll(queue, ["a", "b"]);
      await claimed(queue, fence, "turn");
      await queue.ack(fence, "a", "turn", FAILED);
      const [first] = (await queue.list(T, WHOLE)).rows;
      expect(first).toMatchObject({ rowId: "a", state: "failed", turnId: null, failure: FAILURE });
      expect(await queue.claim(fence, "second")).toEqual(none("failedHead"));
      await unblock(queue);
      expect(await claimed(queue, fence, "third")).toMatchObject({ rowId: next, failure: null });
    });

  test("starts nothing while it is paused, even for a process that starts later", async () => {
    const harness = createHarness();
    const before = await harness.open();
    await before.queue.pause(T, "first");
    await before.queue.pause(T, "because");
    await addAll(before.queue, ["a"]);
    await before.close();
    const store = await harness.open();
    const { queue } = store;
    const fence = await acquireFence(store);
    expect((await queue.list(T, WHOLE)).pause).toBe("because");
    expect(await queue.claim(fence, "turn")).toEqual(none("paused"));
    expect([await queue.resume(T), await queue.resume(T)]).toEqual([true, false]);
    expect((await queue.list(T, WHOLE)).pause).toBeNull();
    await claimed(queue, fence, "turn");
  });

  test("is paused once per ended turn, even for a process that starts later", async () => {
    const harness = createHarness();
    const store = await harness.open();
    const { queue } = store;
    const other = (await harness.open()).queue;
    expect(await queue.pauseAfter(T, "one", "it failed")).toBe(true);
    expect((await other.list(T, WHOLE)).pause).toBe("it failed");
    await queue.resume(T);
    expect(await other.pauseAfter(T, "one", "it failed")).toBe(false);
    expect((await queue.list(T, WHOLE)).pause).toBeNull();
    expect([await other.pauseAfter(T, "two", "again"), await queue.pauseAfter(T, "two", "again")]).toEqual([
      true,
      false,
    ]);
    await store.forgetQueue(T);
    expect(await queue.pauseAfter(T, "two", "again")).toBe(true);
  });

  test("holds a row back until its scheduled time", async () => {
    const harness = createHarness();
    const store = await harness.open();
    const { queue } = store;
    const fence = await acquireFence(store);
    await addAll(queue, ["now"], "other");
    const at = ((await queue.list("other", WHOLE)).rows[0]?.createdAtMs ?? 0) + 1000;
    await queue.add(T, newRow("a", { notBeforeMs: at }), ROOMY);
    await addAll(queue, ["b"]);
    harness.advance(999);
    expect(await queue.claim(fence, "turn")).toEqual({ kind: "later", notBeforeMs: at });
    harness.advance(1);
    expect(await claimed(queue, fence, "turn")).toMatchObject({ rowId: "a" });
  });

  test("starts a requested row whatever its state and that of the queue", async () => {
    const store = await createHarness().open();
    const { queue } = store;
    const fence = await acquireFence(store);
    const FAR = { notBeforeMs: Number.MAX_SAFE_INTEGER };
    await addAll(queue, ["a"]);
    await queue.add(T, newRow("b", FAR), ROOMY);
    await addAll(queue, ["c"]);
    await claimed(queue, fence, "t1");
    await queue.ack(fence, "a", "t1", FAILED);
    await queue.pause(T, "why");
    for (const rowId of ["c", "b"]) {
      await claimed(queue, fence, `turn-${rowId}`, rowId);
      await queue.ack(fence, rowId, `turn-${rowId}`, STARTED);
    }
    expect(await claimed(queue, fence, "t2", "a")).toMatchObject({ failure: null, turnId: "t2" });
    await queue.ack(fence, "a", "t2", STARTED);
    expect(await queue.claim(fence, "t3", "a")).toEqual(none("unknownRow"));
  });
}
