import { expect, test } from "vitest";
import { MAX_CRASH_RETRIES } from "../queue.ts";
import { newRow, ROOMY, WHOLE } from "../queue-row.fixture.ts";
import {
  acquireFence,
  addAll,
  claimed,
  FAILED,
  FAILURE,
  FENCED,
  STARTED,
  T,
  visible,
} from "./queue.fixture.ts";
import type { CreateHarness } from "./store-harness.fixture.ts";

/** Several processes: recovery of claims, races, and change notifications. */
export function queueProcessesContract(createHarness: CreateHarness): void {
  recoveryContract(createHarness);
  processesContract(createHarness);
}

function recoveryContract(createHarness: CreateHarness): void {
  test("recovers an abandoned claim as failed, unless its turn has started", async () => {
    const harness = createHarness();
    const asked: string[] = [];
    for (const threadId of ["started", "lost"]) {
      const dead = await harness.openDead();
      await addAll(dead.queue, ["a", "b"], threadId);
      await claimed(dead.queue, await acquireFence(dead, threadId), `turn-${threadId}`);
    }
    const store = await harness.open();
    const { queue } = store;
    const recover = async (threadId: string) =>
      queue.recover(
        await acquireFence(store, threadId),
        async (turnId) => {
          asked.push(turnId);
          return turnId === "turn-started";
        },
        FAILURE,
      );
    expect(await recover("started")).toEqual({ kind: "recovered", failed: [], hasChanged: true });
    const lost = await recover("lost");
    expect(lost).toMatchObject({ failed: ["a"] });
    expect((await queue.list("lost", WHOLE)).rows[0]).toMatchObject({ turnId: null, failure: FAILURE });
    expect(asked).toEqual(["turn-started", "turn-lost"]);
    expect(await visible(queue, "started")).toEqual(["b pending"]);
    expect(await visible(queue, "lost")).toEqual(["a failed", "b pending"]);
    expect(await recover("lost")).toEqual({ kind: "recovered", failed: [], hasChanged: true });
  });

  test(`returns a row to its place ${MAX_CRASH_RETRIES} times, and then fails it`, async () => {
    const harness = createHarness();
    await addAll((await harness.open()).queue, ["a", "b"]);
    for (let crash = 0; crash <= MAX_CRASH_RETRIES; crash += 1) {
      const dead = await harness.openDead();
      await claimed(dead.queue, await acquireFence(dead), `turn-${crash}`);
      const next = await harness.open();
      const isLast = crash === MAX_CRASH_RETRIES;
      const recovered = await next.queue.recover(await acquireFence(next), async () => "retry", FAILURE);
      expect(recovered).toMatchObject({ failed: isLast ? ["a"] : [] });
      expect(await visible(next.queue)).toEqual([isLast ? "a failed" : "a pending", "b pending"]);
    }
  });

  test("reports whether it has changed recently, even if it is empty", async () => {
    const store = await createHarness().open();
    const { queue } = store;
    const recover = async (threadId: string) =>
      queue.recover(await acquireFence(store, threadId), async () => false, FAILURE);
    await addAll(queue, ["a"]);
    await queue.remove(T, "a");
    expect(await recover(T)).toMatchObject({ hasChanged: true });
    expect(await recover("other")).toMatchObject({ hasChanged: false });
  });

  test("does not recover the current holder's own claim", async () => {
    const store = await createHarness().open();
    const { queue } = store;
    await addAll(queue, ["a"]);
    const fence = await acquireFence(store);
    await claimed(queue, fence, "turn");
    const ask = async () => expect.unreachable("nothing was left behind");
    expect(await queue.recover(fence, ask, FAILURE)).toEqual({
      kind: "recovered",
      failed: [],
      hasChanged: true,
    });
    expect(await queue.ack(fence, "a", "turn", STARTED)).toBe(true);
  });

  test("is not changed by a process that lost its thread, even during recovery", async () => {
    const harness = createHarness();
    const [one, other] = [await harness.open(), await harness.open()];
    await addAll(one.queue, ["a", "b"]);
    const first = await acquireFence(one);
    await claimed(one.queue, first, "turn");
    const stale = await acquireFence(one);
    const lost = one.queue.recover(
      stale,
      async () => {
        await acquireFence(other);
        return false;
      },
      FAILURE,
    );
    expect(await lost).toEqual(FENCED);
    for (const fence of [first, stale])
      expect([
        await one.queue.claim(fence, "second"),
        await one.queue.ack(fence, "a", "turn", STARTED),
        await one.queue.recover(fence, async () => true, FAILURE),
      ]).toEqual([FENCED, FENCED, FENCED]);
    expect(await visible(one.queue)).toEqual(["b pending"]);
    const fence = await acquireFence(other);
    await other.queue.recover(fence, async () => false, FAILURE);
    expect(await visible(other.queue)).toEqual(["a failed", "b pending"]);
  });
}

function processesContract(createHarness: CreateHarness): void {
  test("is shared by all processes, and has a single winner among their claims", async () => {
    const harness = createHarness();
    const [one, other] = [await harness.open(), await harness.open()];
    await addAll(one.queue, ["a"]);
    await addAll(other.queue, ["b"]);
    expect(await visible(one.queue)).toEqual(["a pending", "b pending"]);
    const fences = [await acquireFence(one), await acquireFence(other)] as const;
    const outcomes = await Promise.all([
      ...["1", "2"].map((turnId) => one.queue.claim(fences[0], turnId)),
      ...["3", "4", "5"].map((turnId) => other.queue.claim(fences[1], turnId)),
    ]);
    const kinds = outcomes.map(({ kind }) => kind);
    // Calls of one process may reach the store in any order.
    expect([kinds.slice(0, 2), kinds.slice(2).sort()]).toEqual([
      ["fenced", "fenced"],
      ["claimed", "none", "none"],
    ]);
    expect(await visible(one.queue)).toEqual(["b pending"]);
  });

  test("notifies only other processes of changes, within half a second", async () => {
    const harness = createHarness();
    const [one, other] = [await harness.open(), await harness.open()];
    await addAll(other.queue, ["before"], "old");
    // A watch may notify of what has changed shortly before it.
    harness.advance(1000);
    const notified: string[] = [];
    const stop = one.queue.watch((threadId) => notified.push(`one ${threadId}`));
    const stopOther = other.queue.watch((threadId) => notified.push(`other ${threadId}`));
    const fence = await acquireFence(other);
    const after = async (work: () => Promise<unknown>) => {
      notified.length = 0;
      await work();
      harness.advance(500);
      await harness.settled();
      return notified;
    };
    const changing: readonly (() => Promise<unknown>)[] = [
      () => other.queue.add(T, newRow("a"), ROOMY),
      () => other.queue.update(T, "a", { params: {} }, ROOMY),
      () => other.queue.reorder(T, ["a"]),
      () => other.queue.pause(T, "why"),
      () => other.queue.resume(T),
      () => other.queue.claim(fence, "turn"),
      () => other.queue.ack(fence, "a", "turn", FAILED),
      () => other.queue.remove(T, "a"),
      () => other.forgetQueue(T),
    ];
    for (const work of changing) expect([...new Set(await after(work))]).toEqual([`one ${T}`]);
    const unchanging: readonly (() => Promise<unknown>)[] = [
      () => other.queue.list(T, WHOLE),
      () => other.queue.update(T, "x", { params: {} }, ROOMY),
      () => other.queue.remove(T, "x"),
      () => other.queue.resume(T),
      () => other.queue.claim(fence, "turn"),
      () => other.leases.acquire("elsewhere", "ifFree"),
    ];
    for (const work of unchanging) expect(await after(work)).toEqual([]);
    await one.queue.add(T, newRow("mine"), ROOMY);
    expect(await after(() => other.queue.add(T, newRow("b"), ROOMY))).toEqual(
      expect.arrayContaining([`one ${T}`, `other ${T}`]),
    );
    stop();
    expect(await after(() => other.queue.add(T, newRow("c"), ROOMY))).toEqual([]);
    stopOther();
  });
}
