import { expect, test } from "vitest";
import { ATTENDED_MS } from "../queue.ts";
import { type QueuedTurnEnd, STARTED_AGE_MS } from "../queue-log.ts";
import { newRow, ROOMY, textParams } from "../queue-row.fixture.ts";
import { acquireFence, addAll, claimed, FAILED, FAILURE, FENCED, STARTED, T } from "./queue.fixture.ts";
import type { CreateHarness } from "./store-harness.fixture.ts";

const KEY = { clientUserMessageId: "key" };
const END: QueuedTurnEnd = { how: "failed", atMs: 5, durationMs: 3, tokens: 12, error: "no such model" };

/** The log of started rows, and which queues are due. */
export function queueLogContract(createHarness: CreateHarness): void {
  test("finds a started row by its client id, also in another process, and does not add it again", async () => {
    const harness = createHarness();
    const [store, other] = [await harness.open(), await harness.open()];
    const fence = await acquireFence(store);
    await store.queue.add(T, newRow("a", KEY), ROOMY);
    await claimed(store.queue, fence, "turn");
    await store.queue.ack(fence, "a", "turn", { kind: "started", preview: "words" });
    for (const { queue } of [store, other]) {
      expect(await queue.add(T, newRow("b", KEY), { ...ROOMY, maxRows: 0 })).toMatchObject({
        kind: "started",
        started: { rowId: "a", turnId: "turn", threadId: T, preview: "words", end: null, ...KEY },
      });
      expect(await queue.startedBy(T, "key")).toMatchObject({ turnId: "turn" });
      expect([await queue.startedBy(T, "KEY"), await queue.startedBy("other", "key")]).toEqual([null, null]);
      expect(await queue.ids(T)).toEqual([]);
    }
    expect((await other.queue.add("other", newRow("a", KEY), ROOMY)).kind).toBe("added");
  });

  test("finds a started row even if the process died after its turn had begun", async () => {
    const harness = createHarness();
    const dead = await harness.openDead();
    await dead.queue.add(T, newRow("a", { ...KEY, params: textParams(" Say it ") }), ROOMY);
    await claimed(dead.queue, await acquireFence(dead), "turn");
    const { queue, ...store } = await harness.open();
    await queue.recover(await acquireFence({ ...store, queue }), async () => true, FAILURE);
    expect(await queue.add(T, newRow("b", KEY), ROOMY)).toMatchObject({
      kind: "started",
      started: { rowId: "a", turnId: "turn", preview: "Say it" },
    });
  });

  test.each([
    ["was taken out", false],
    ["has failed to start and was taken out", true],
  ])("adds a row again that %s", async (_, hasFailed) => {
    const store = await createHarness().open();
    const { queue } = store;
    const fence = await acquireFence(store);
    await queue.add(T, newRow("a", KEY), ROOMY);
    if (hasFailed) {
      await claimed(queue, fence, "turn");
      await queue.ack(fence, "a", "turn", FAILED);
    }
    await queue.remove(T, "a");
    expect((await queue.add(T, newRow("b", KEY), ROOMY)).kind).toBe("added");
  });

  test("distinguishes keys that differ in lone surrogates, and long keys", async () => {
    const store = await createHarness().open();
    const { queue } = store;
    const fence = await acquireFence(store);
    const long = "x".repeat(100_000);
    for (const [at, key] of ["\ud800", "\ud801", long, `${long}y`].entries()) {
      expect(await queue.startedBy(T, key)).toBeNull();
      await queue.add(T, newRow(`${at}`, { clientUserMessageId: key }), ROOMY);
      await claimed(queue, fence, `turn-${at}`);
      await queue.ack(fence, `${at}`, `turn-${at}`, STARTED);
      expect(await queue.startedBy(T, key)).toMatchObject({ turnId: `turn-${at}` });
    }
    const keys = (await queue.started({ limit: 9 })).map((row) => row.clientUserMessageId);
    expect(keys).toEqual([null, null, "\ud801", "\ud800"]);
  });

  test("drops started rows when they expire, and with their thread", async () => {
    const harness = createHarness();
    const store = await harness.open();
    const { queue } = store;
    const fence = await acquireFence(store);
    await queue.add(T, newRow("a", KEY), ROOMY);
    await claimed(queue, fence, "turn");
    await queue.ack(fence, "a", "turn", STARTED);
    harness.advance(STARTED_AGE_MS - 1);
    expect((await queue.started({ limit: 9 })).length).toBe(1);
    harness.advance(1);
    expect([await queue.startedBy(T, "key"), await queue.started({ limit: 9 })]).toEqual([null, []]);
    expect((await queue.add(T, newRow("b", KEY), ROOMY)).kind).toBe("added");
    const anew = await acquireFence(store);
    await claimed(queue, anew, "second");
    await queue.ack(anew, "b", "second", STARTED);
    await store.forgetQueue(T);
    expect(await queue.startedBy(T, "key")).toBeNull();
  });

  test("records the end of a turn once, for the holder of its thread", async () => {
    const harness = createHarness();
    const store = await harness.open();
    const { queue } = store;
    const stale = await acquireFence(await harness.open());
    const fence = await acquireFence(store);
    for (const rowId of ["a", "b"]) {
      await addAll(queue, [rowId]);
      await claimed(queue, fence, `turn-${rowId}`);
      await queue.ack(fence, rowId, `turn-${rowId}`, STARTED);
    }
    expect(await queue.recordEnd(stale, "turn-a", END)).toEqual(FENCED);
    expect([
      await queue.recordEnd(fence, "turn-a", END),
      await queue.recordEnd(fence, "turn-a", END),
    ]).toEqual([true, false]);
    expect(await queue.recordEnd(fence, "none", END)).toBe(false);
    const shown = (rows: readonly { readonly rowId: string; readonly end: QueuedTurnEnd | null }[]) =>
      rows.map(({ rowId, end }) => [rowId, end]);
    expect(shown(await queue.started({ threadId: T, limit: 9 }))).toEqual([
      ["b", null],
      ["a", END],
    ]);
    expect(shown(await queue.started({ isOpen: true, limit: 9 }))).toEqual([["b", null]]);
    expect(shown(await queue.started({ limit: 1 }))).toEqual([["b", null]]);
    expect(await queue.started({ threadId: "other", limit: 9 })).toEqual([]);
  });

  test("is due if its first row can start or has an abandoned claim", async () => {
    const harness = createHarness();
    const store = await harness.open();
    const { queue } = store;
    const now = harness.now();
    const due = async () => {
      const { threadIds, nextAtMs } = await queue.due();
      return [threadIds.join(" "), nextAtMs === null ? null : nextAtMs - now];
    };
    expect(await due()).toEqual(["", null]);
    await queue.add("later", newRow("a", { notBeforeMs: now + 2000 }), ROOMY);
    await queue.add("soon", newRow("a", { notBeforeMs: now + 1000 }), ROOMY);
    await addAll(queue, ["b"], "soon");
    await addAll(queue, ["a"], "paused");
    await queue.pause("paused", "why");
    expect(await due()).toEqual(["", 1000]);
    await addAll(queue, ["a", "b"]);
    expect(await due()).toEqual([T, 1000]);
    const fence = await acquireFence(store);
    await claimed(queue, fence, "turn");
    expect(await due()).toEqual([T, 1000]);
    await queue.ack(fence, "a", "turn", FAILED);
    expect(await due()).toEqual(["", 1000]);
    harness.advance(1000);
    expect(await due()).toEqual(["soon", 2000]);
    await queue.reorder("soon", ["b", "a"]);
    await queue.resume("paused");
    expect(await due()).toEqual(["paused soon", 2000]);
    await queue.remove("paused", "a");
    await store.forgetQueue("soon");
    harness.advance(1000);
    expect(await due()).toEqual(["later", null]);
  });

  test("is attended while the announcement of a process is valid", async () => {
    const harness = createHarness();
    const [{ queue }, other] = [await harness.open(), await harness.open()];
    expect(await queue.isAttended()).toBe(false);
    await other.queue.attend();
    harness.advance(ATTENDED_MS - 1);
    expect(await queue.isAttended()).toBe(true);
    await other.queue.attend();
    harness.advance(1);
    expect(await queue.isAttended()).toBe(true);
    await other.queue.leave();
    expect(await queue.isAttended()).toBe(false);
    await other.queue.attend();
    harness.advance(ATTENDED_MS);
    expect(await queue.isAttended()).toBe(false);
  });
}
