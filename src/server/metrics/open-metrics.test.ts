import { expect, test } from "vitest";
import { createDeferred } from "../../base/tasks.ts";
import type { QueueTotals } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import { createServerEvents } from "../observation/server-events.ts";
import { openMetrics } from "./open-metrics.ts";

/** A clock whose timers the test fires, with a chosen delay. */
function createLateClock() {
  let now = 1_000_000;
  let due: (() => void) | null = null;
  return {
    clock: {
      now: () => now,
      monotonic: () => now,
      after(_ms: number, task: () => void) {
        due = task;
        return () => void (due = null);
      },
    },
    fireAfter(ms: number) {
      now += ms;
      const task = due;
      due = null;
      task?.();
    },
    isDue: () => due !== null,
    pass: (ms: number) => void (now += ms),
  };
}

function open(totals: () => Promise<QueueTotals>) {
  const late = createLateClock();
  const { clock } = late;
  let looks = 0;
  const queue = {
    totals() {
      looks += 1;
      return totals();
    },
  };
  const outbox = { totals: async () => ({ pending: 1, abandoned: 2, oldestAtMs: clock.now() - 3000 }) };
  const metrics = openMetrics({
    events: createServerEvents({ clock }),
    engine: { loaded: () => ["a", "b"] },
    store: async () => ({ queue, outbox }) as unknown as Store,
    clock,
  });
  const values = async (name: string) =>
    (await metrics.read()).find((each) => each.name === name)?.series.map(({ value }) => value);
  return { metrics, values, late, looks: () => looks };
}

const NOTHING: QueueTotals = { pending: 0, failed: 0, oldestAtMs: null };

test("the loop is as late as its timer", async () => {
  const { metrics, late } = open(async () => NOTHING);
  for (const ms of [100, 104, 1100]) late.fireAfter(ms);
  const read = await metrics.read();
  const { buckets = [], series } = read.find(({ name }) => name === "heddle_event_loop_delay_seconds") ?? {};
  const counts = series?.[0]?.counts ?? [];
  const found = counts.flatMap((count, at) => (count === 0 ? [] : [[buckets[at], count]]));
  expect(found).toEqual([
    [0.0005, 1],
    [0.005, 1],
    [1, 1],
  ]);
  metrics.close();
  expect(late.isDue()).toBe(false);
});

test("the queue is looked at when somebody asks, once for all who ask at the same time", async () => {
  const answer = createDeferred<QueueTotals>();
  const { metrics, values, looks } = open(() => answer.promise);
  const reads = [metrics.read(), metrics.read(), metrics.text()];
  answer.resolve({ pending: 2, failed: 1, oldestAtMs: 990_000 });
  await Promise.all(reads);
  expect(looks()).toBe(1);
  expect([await values("heddle_queued_turns"), await values("heddle_queue_oldest_seconds")]).toEqual([
    [2, 1],
    [10],
  ]);
  expect(await values("heddle_threads_loaded")).toEqual([2]);
});

test("a database that cannot be read leaves what was last seen, and a clock that was set back no negative age", async () => {
  let outcome: () => Promise<QueueTotals> = async () => ({ pending: 3, failed: 0, oldestAtMs: 2_000_000 });
  const { values } = open(() => outcome());
  expect([await values("heddle_queued_turns"), await values("heddle_queue_oldest_seconds")]).toEqual([
    [3, 0],
    [0],
  ]);
  outcome = () => Promise.reject(new Error("gone"));
  expect(await values("heddle_queued_turns")).toEqual([3, 0]);
});

test("a queue that takes long to look at is looked at less often, and a short one each time", async () => {
  let takesMs = 40;
  const place = open(async () => {
    place.late.pass(takesMs);
    return NOTHING;
  });
  const lookAfter = async (ms: number) => {
    place.late.pass(ms);
    await place.metrics.read();
    return place.looks();
  };
  expect([await lookAfter(0), await lookAfter(790), await lookAfter(10)]).toEqual([1, 1, 2]);
  takesMs = 0;
  expect([await lookAfter(800), await lookAfter(0), await lookAfter(0)]).toEqual([3, 4, 5]);
});
