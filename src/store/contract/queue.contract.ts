import { describe, expect, test } from "vitest";
import type { Fence } from "../leases.ts";
import type { NewRow, Queue, QueueRow } from "../queue.ts";
import type { Store } from "../store.ts";
import { makeThread, type OpenWorld } from "./world.fixture.ts";

const T = "thread";
const MAX = 100;
const FENCED = { kind: "fenced" };
const FAILURE = { message: "no such model" };
const STARTED = { kind: "started" } as const;
const FAILED = { kind: "failed", failure: FAILURE } as const;
const WHOLE = { offset: 0, limit: 1000 };
const params = (text: string) => ({ input: [{ type: "text", text }] });

function row(rowId: string, members: Partial<NewRow> = {}): NewRow {
  return { rowId, clientUserMessageId: null, params: params(rowId), notBeforeMs: null, ...members };
}

async function addAll(queue: Queue, rowIds: readonly string[], threadId = T): Promise<void> {
  for (const rowId of rowIds) expect((await queue.add(threadId, row(rowId), MAX)).kind).toBe("added");
}

const visible = async (queue: Queue, threadId = T): Promise<string[]> =>
  (await queue.list(threadId, WHOLE)).rows.map((each) => `${each.rowId} ${each.state}`);

async function take({ leases }: Store, threadId = T): Promise<Fence> {
  const lease = await leases.acquire(threadId, "takeOver");
  if (lease.kind === "elsewhere") throw new Error(lease.message);
  return lease.fence;
}

async function claimed(queue: Queue, fence: Fence, turnId: string, rowId?: string): Promise<QueueRow> {
  const outcome = await queue.claim(fence, turnId, rowId);
  if (outcome.kind !== "claimed") throw new Error(JSON.stringify(outcome));
  return outcome.row;
}

const none = (why: string) => ({ kind: "none", why });

/** What every store does with turns that wait. */
export function queueContract(openWorld: OpenWorld): void {
  describe("the queue of a thread", () => {
    rowsContract(openWorld);
    claimsContract(openWorld);
    recoveryContract(openWorld);
    processesContract(openWorld);
  });
}

function rowsContract(openWorld: OpenWorld): void {
  test("keeps rows as they were given, in the order in which they came", async () => {
    const { queue } = openWorld().open();
    const odd = JSON.parse(
      '{"__proto__": {"a": 1}, "text": "ä€😀 \\u0000 \\ud800", "n": [1.5, null]}',
    ) as object;
    const first = await queue.add(T, row("a", { params: { odd }, clientUserMessageId: "\ud800" }), MAX);
    const second = await queue.add(T, row("b", { notBeforeMs: 5, clientUserMessageId: "\ud801" }), MAX);
    const { rows, ...rest } = await queue.list(T, WHOLE);
    expect([first, second]).toEqual(rows.map((each) => ({ kind: "added", row: each })));
    expect(rest).toEqual({ total: 2, pause: null });
    const [a, b] = rows;
    expect(a).toMatchObject({ threadId: T, rowId: "a", state: "pending", turnId: null, failure: null });
    expect([a?.clientUserMessageId, b?.clientUserMessageId, b?.notBeforeMs]).toEqual(["\ud800", "\ud801", 5]);
    expect(JSON.stringify(a?.params)).toBe(JSON.stringify({ odd }));
    expect([a?.createdAtMs, a?.updatedAtMs].map((at) => typeof at)).toEqual(["number", "number"]);
  });

  test("is shown in pages, and is another one for each thread", async () => {
    const { queue } = openWorld().open();
    await addAll(queue, ["a", "b", "c"]);
    await addAll(queue, ["a"], "other");
    const page = async (offset: number, limit: number) => {
      const { rows, total } = await queue.list(T, { offset, limit });
      return [...rows.map(({ rowId }) => rowId), total];
    };
    expect([await page(0, 2), await page(2, 2), await page(3, 2), await page(0, 0)]).toEqual([
      ["a", "b", 3],
      ["c", 3],
      [3],
      [3],
    ]);
    expect(await queue.list("none", WHOLE)).toEqual({ rows: [], total: 0, pause: null });
    expect(await queue.threads()).toEqual(["other", T]);
  });

  test("knows a row by its client's id until it is gone, whatever has become of it", async () => {
    const world = openWorld();
    const store = world.open();
    const { queue } = store;
    const key = { clientUserMessageId: "key" };
    await queue.add(T, row("a", key), MAX);
    await queue.update(T, "a", { params: params("changed") });
    const again = await queue.add(T, row("b", key), 1);
    expect(again).toMatchObject({ kind: "known", row: { rowId: "a", params: params("changed") } });
    expect((await queue.add("other", row("a", key), MAX)).kind).toBe("added");
    const fence = await take(store);
    await claimed(queue, fence, "turn");
    expect(await queue.add(T, row("c", key), MAX)).toMatchObject({ kind: "known", row: { turnId: "turn" } });
    await queue.settle(fence, "a", "turn", STARTED);
    expect((await queue.add(T, row("d", key), MAX)).kind).toBe("added");
    for (const rowId of ["e", "f"]) expect((await queue.add(T, row(rowId), MAX)).kind).toBe("added");
  });

  test("takes no more rows than it may have, those that are being started counted", async () => {
    const store = openWorld().open();
    const { queue } = store;
    await queue.add(T, row("a"), 2);
    await queue.add(T, row("b"), 2);
    await claimed(queue, await take(store), "turn");
    expect(await queue.add(T, row("c"), 2)).toEqual({ kind: "full" });
    expect((await queue.add("other", row("c"), 2)).kind).toBe("added");
    await queue.remove(T, "b");
    expect((await queue.add(T, row("c"), 2)).kind).toBe("added");
  });

  test("changes a row at its place", async () => {
    const world = openWorld();
    const { queue } = world.open();
    await addAll(queue, ["a", "b"]);
    world.advance(7);
    const before = (await queue.list(T, WHOLE)).rows[0];
    const timed = await queue.update(T, "a", { params: params("new"), notBeforeMs: 9 });
    expect(timed).toEqual({
      ...before,
      params: params("new"),
      notBeforeMs: 9,
      updatedAtMs: (before?.createdAtMs ?? 0) + 7,
    });
    expect((await queue.update(T, "a", { params: {} }))?.notBeforeMs).toBe(9);
    expect((await queue.update(T, "a", { params: {}, notBeforeMs: null }))?.notBeforeMs).toBeNull();
    expect(await visible(queue)).toEqual(["a pending", "b pending"]);
    expect([
      await queue.update(T, "x", { params: {} }),
      await queue.update("x", "a", { params: {} }),
    ]).toEqual([null, null]);
  });

  test("lets go of a row once", async () => {
    const { queue } = openWorld().open();
    await addAll(queue, ["a", "b"]);
    expect([await queue.remove("x", "a"), await queue.remove(T, "a"), await queue.remove(T, "a")]).toEqual([
      false,
      true,
      false,
    ]);
    expect(await visible(queue)).toEqual(["b pending"]);
    await queue.remove(T, "b");
    expect(await queue.threads()).toEqual([]);
  });

  test("takes another order that names each row once", async () => {
    const { queue } = openWorld().open();
    await addAll(queue, ["a", "b", "c"]);
    expect(await queue.reorder(T, ["c", "a", "b"])).toBe(true);
    for (const wrong of [["a", "b"], ["a", "b", "c", "c"], ["a", "b", "b"], ["a", "b", "x"], []])
      expect(await queue.reorder(T, wrong)).toBe(false);
    await addAll(queue, ["d"]);
    expect(await visible(queue)).toEqual(["c pending", "a pending", "b pending", "d pending"]);
    expect(await queue.reorder("none", [])).toBe(true);
  });

  test("goes with its thread", async () => {
    const world = openWorld();
    const { queue, threads } = world.open();
    const threadId = await makeThread(world, threads, ["t1"]);
    await addAll(queue, ["a"], threadId);
    await addAll(queue, ["b"]);
    await queue.pause(threadId, "why");
    expect((await threads.delete(threadId)).kind).toBe("done");
    expect(await queue.list(threadId, WHOLE)).toEqual({ rows: [], total: 0, pause: null });
    await queue.forget(T);
    expect(await queue.threads()).toEqual([]);
  });
}

function claimsContract(openWorld: OpenWorld): void {
  test("gives its first row to a claim, which hides it", async () => {
    const store = openWorld().open();
    const { queue } = store;
    const fence = await take(store);
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
      await queue.update(T, "a", { params: {} }),
      await queue.remove(T, "a"),
      await queue.reorder(T, ["b", "a"]),
      await queue.reorder(T, ["b"]),
    ]).toEqual([null, false, false, true]);
    await queue.remove(T, "b");
    expect(await queue.threads()).toEqual([T]);
  });

  test("settles a claim only for its own turn, and once", async () => {
    const store = openWorld().open();
    const { queue } = store;
    const fence = await take(store);
    await addAll(queue, ["a", "b"]);
    await claimed(queue, fence, "turn");
    for (const [rowId, turnId] of [
      ["a", "other"],
      ["b", "turn"],
      ["x", "turn"],
    ] as const)
      for (const outcome of [STARTED, FAILED])
        expect(await queue.settle(fence, rowId, turnId, outcome)).toBe(false);
    expect(await queue.settle(fence, "a", "turn", STARTED)).toBe(true);
    expect(await queue.settle(fence, "a", "turn", FAILED)).toBe(false);
    expect(await visible(queue)).toEqual(["b pending"]);
    expect(await claimed(queue, fence, "next")).toMatchObject({ rowId: "b" });
  });

  test("has what came during a claim behind it, however it was ordered", async () => {
    const store = openWorld().open();
    const { queue } = store;
    const fence = await take(store);
    await addAll(queue, ["a", "b"]);
    await claimed(queue, fence, "turn");
    await addAll(queue, ["c"]);
    await queue.reorder(T, ["c", "b"]);
    await addAll(queue, ["d"]);
    await queue.settle(fence, "a", "turn", FAILED);
    expect(await visible(queue)).toEqual(["a failed", "c pending", "b pending", "d pending"]);
  });

  for (const [how, unblock, next] of [
    ["removed", (queue: Queue) => queue.remove(T, "a"), "b"],
    ["put behind", (queue: Queue) => queue.reorder(T, ["b", "a"]), "b"],
    ["changed", (queue: Queue) => queue.update(T, "a", { params: params("better") }), "a"],
  ] as const)
    test(`waits behind a row that has failed until that is ${how}`, async () => {
      const store = openWorld().open();
      const { queue } = store;
      const fence = await take(store);
      await addAll(queue, ["a", "b"]);
      await claimed(queue, fence, "turn");
      await queue.settle(fence, "a", "turn", FAILED);
      const [first] = (await queue.list(T, WHOLE)).rows;
      expect(first).toMatchObject({ rowId: "a", state: "failed", turnId: null, failure: FAILURE });
      expect(await queue.claim(fence, "second")).toEqual(none("failedHead"));
      await unblock(queue);
      expect(await claimed(queue, fence, "third")).toMatchObject({ rowId: next, failure: null });
    });

  test("starts nothing while it is paused, also for a process that comes later", async () => {
    const world = openWorld();
    const before = world.open();
    await before.queue.pause(T, "first");
    await before.queue.pause(T, "because");
    await addAll(before.queue, ["a"]);
    await before.close();
    const store = world.open();
    const { queue } = store;
    const fence = await take(store);
    expect((await queue.list(T, WHOLE)).pause).toBe("because");
    expect(await queue.claim(fence, "turn")).toEqual(none("paused"));
    expect([await queue.resume(T), await queue.resume(T)]).toEqual([true, false]);
    expect((await queue.list(T, WHOLE)).pause).toBeNull();
    await claimed(queue, fence, "turn");
  });

  test("keeps a row back until its time", async () => {
    const world = openWorld();
    const store = world.open();
    const { queue } = store;
    const fence = await take(store);
    await addAll(queue, ["now"], "other");
    const at = ((await queue.list("other", WHOLE)).rows[0]?.createdAtMs ?? 0) + 1000;
    await queue.add(T, row("a", { notBeforeMs: at }), MAX);
    await addAll(queue, ["b"]);
    world.advance(999);
    expect(await queue.claim(fence, "turn")).toEqual({ kind: "later", notBeforeMs: at });
    world.advance(1);
    expect(await claimed(queue, fence, "turn")).toMatchObject({ rowId: "a" });
  });

  test("starts a row that is named, whatever it and the queue are like", async () => {
    const store = openWorld().open();
    const { queue } = store;
    const fence = await take(store);
    const FAR = { notBeforeMs: Number.MAX_SAFE_INTEGER };
    await addAll(queue, ["a"]);
    await queue.add(T, row("b", FAR), MAX);
    await addAll(queue, ["c"]);
    await claimed(queue, fence, "t1");
    await queue.settle(fence, "a", "t1", FAILED);
    await queue.pause(T, "why");
    for (const rowId of ["c", "b"]) {
      await claimed(queue, fence, `turn-${rowId}`, rowId);
      await queue.settle(fence, rowId, `turn-${rowId}`, STARTED);
    }
    expect(await claimed(queue, fence, "t2", "a")).toMatchObject({ failure: null, turnId: "t2" });
    await queue.settle(fence, "a", "t2", STARTED);
    expect(await queue.claim(fence, "t3", "a")).toEqual(none("unknownRow"));
  });
}

function recoveryContract(openWorld: OpenWorld): void {
  test("has a claim that was left behind back as failed, unless its turn has started", async () => {
    const world = openWorld();
    const asked: string[] = [];
    for (const threadId of ["started", "lost"]) {
      const dead = world.openDead();
      await addAll(dead.queue, ["a", "b"], threadId);
      await claimed(dead.queue, await take(dead, threadId), `turn-${threadId}`);
    }
    const store = world.open();
    const { queue } = store;
    const recover = async (threadId: string) =>
      queue.recover(
        await take(store, threadId),
        async (turnId) => {
          asked.push(turnId);
          return turnId === "turn-started";
        },
        FAILURE,
      );
    expect(await recover("started")).toEqual({ kind: "recovered", failed: [] });
    const lost = await recover("lost");
    expect(lost).toMatchObject({ failed: [{ rowId: "a", state: "failed", turnId: null, failure: FAILURE }] });
    expect(asked).toEqual(["turn-started", "turn-lost"]);
    expect(await visible(queue, "started")).toEqual(["b pending"]);
    expect(await visible(queue, "lost")).toEqual(["a failed", "b pending"]);
    expect(await recover("lost")).toEqual({ kind: "recovered", failed: [] });
  });

  test("leaves what its holder is starting itself to that holder", async () => {
    const store = openWorld().open();
    const { queue } = store;
    await addAll(queue, ["a"]);
    const fence = await take(store);
    await claimed(queue, fence, "turn");
    const ask = async () => expect.unreachable("nothing was left behind");
    expect(await queue.recover(fence, ask, FAILURE)).toEqual({ kind: "recovered", failed: [] });
    expect(await queue.settle(fence, "a", "turn", STARTED)).toBe(true);
  });

  test("is not touched by whoever has lost its thread, also while they find out what has started", async () => {
    const world = openWorld();
    const [one, other] = [world.open(), world.open()];
    await addAll(one.queue, ["a", "b"]);
    const first = await take(one);
    await claimed(one.queue, first, "turn");
    const stale = await take(one);
    const lost = one.queue.recover(
      stale,
      async () => {
        await take(other);
        return false;
      },
      FAILURE,
    );
    expect(await lost).toEqual(FENCED);
    for (const fence of [first, stale])
      expect([
        await one.queue.claim(fence, "second"),
        await one.queue.settle(fence, "a", "turn", STARTED),
        await one.queue.recover(fence, async () => true, FAILURE),
      ]).toEqual([FENCED, FENCED, FENCED]);
    expect(await visible(one.queue)).toEqual(["b pending"]);
    const fence = await take(other);
    await other.queue.recover(fence, async () => false, FAILURE);
    expect(await visible(other.queue)).toEqual(["a failed", "b pending"]);
  });
}

function processesContract(openWorld: OpenWorld): void {
  test("is one for all processes, and has a single winner among their claims", async () => {
    const world = openWorld();
    const [one, other] = [world.open(), world.open()];
    await addAll(one.queue, ["a"]);
    await addAll(other.queue, ["b"]);
    expect(await visible(one.queue)).toEqual(["a pending", "b pending"]);
    const fences = [await take(one), await take(other)] as const;
    const outcomes = await Promise.all([
      ...["1", "2"].map((turnId) => one.queue.claim(fences[0], turnId)),
      ...["3", "4", "5"].map((turnId) => other.queue.claim(fences[1], turnId)),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["fenced", "fenced", "claimed", "none", "none"]);
    expect(await visible(one.queue)).toEqual(["b pending"]);
  });

  test("tells other processes within half a second what has changed, and nobody else", async () => {
    const world = openWorld();
    const [one, other] = [world.open(), world.open()];
    await addAll(other.queue, ["before"], "old");
    const heard: string[] = [];
    const stop = one.queue.watch((threadId) => heard.push(`one ${threadId}`));
    const stopOther = other.queue.watch((threadId) => heard.push(`other ${threadId}`));
    const fence = await take(other);
    const after = async (work: () => Promise<unknown>) => {
      heard.length = 0;
      await work();
      world.advance(500);
      return heard;
    };
    const changing: readonly (() => Promise<unknown>)[] = [
      () => other.queue.add(T, row("a"), MAX),
      () => other.queue.update(T, "a", { params: {} }),
      () => other.queue.reorder(T, ["a"]),
      () => other.queue.pause(T, "why"),
      () => other.queue.resume(T),
      () => other.queue.claim(fence, "turn"),
      () => other.queue.settle(fence, "a", "turn", FAILED),
      () => other.queue.remove(T, "a"),
      () => other.queue.forget(T),
    ];
    for (const work of changing) expect([...new Set(await after(work))]).toEqual([`one ${T}`]);
    const unchanging: readonly (() => Promise<unknown>)[] = [
      () => other.queue.list(T, WHOLE),
      () => other.queue.update(T, "x", { params: {} }),
      () => other.queue.remove(T, "x"),
      () => other.queue.resume(T),
      () => other.queue.claim(fence, "turn"),
      () => other.leases.acquire("elsewhere", "ifFree"),
    ];
    for (const work of unchanging) expect(await after(work)).toEqual([]);
    await one.queue.add(T, row("mine"), MAX);
    expect(await after(() => other.queue.add(T, row("b"), MAX))).toEqual(
      expect.arrayContaining([`one ${T}`, `other ${T}`]),
    );
    stop();
    expect(await after(() => other.queue.add(T, row("c"), MAX))).toEqual([]);
    stopOther();
  });
}
