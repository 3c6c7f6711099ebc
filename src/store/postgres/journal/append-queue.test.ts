import { expect, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { type AppendLane, AppendQueue, takenOver } from "./append-queue.ts";

function open(maxBacklogBytes?: number) {
  const clock = createFakeClock(0);
  const queue = new AppendQueue(clock, maxBacklogBytes);
  const settled: string[] = [];
  const laneOf = (threadId: string): AppendLane => ({
    threadId,
    fence: () => ({ threadId, epoch: 1 }),
    refence: async () => null,
  });
  const add = (lane: AppendLane, name: string, bytes = 1): boolean =>
    queue.add(lane, {
      expected: { generation: 0, seq: 0 },
      next: { generation: 0, seq: 1 },
      segment: null,
      lines: [{ seq: 0, text: "x".repeat(bytes) }],
      changes: [],
      thread: {},
      effects: [],
      settle: (failure) => {
        const reason = failure?.kind === "unavailable" ? failure.reason : failure?.kind;
        settled.push(`${name} ${reason ?? "stored"}`);
      },
    });
  const batch = () => queue.takeBatch().map(({ lane, requests }) => `${lane.threadId} ${requests.length}`);
  return { clock, queue, settled, laneOf, add, batch };
}

test("takes the appends of a thread together, in order", () => {
  const { queue, settled, laneOf, add, batch } = open();
  const [one, other] = [laneOf("one"), laneOf("other")];
  for (const name of ["a", "b"]) add(one, name);
  add(other, "c");
  expect(batch()).toEqual(["one 2", "other 1"]);
  queue.succeed(one);
  queue.fail(other, takenOver("other"));
  expect(settled).toEqual(["a stored", "b stored", "c fenced"]);
  expect(queue.isEmpty).toBe(true);
});

test("fails what was queued behind a failed append, and nothing of other threads", () => {
  const { queue, settled, laneOf, add, batch } = open();
  const [one, other] = [laneOf("one"), laneOf("other")];
  add(one, "a");
  batch();
  for (const name of ["b", "c"]) add(one, name);
  add(other, "d");
  queue.fail(one, takenOver("one"));
  expect(settled).toEqual(["a fenced", "b fenced", "c fenced"]);
  expect(batch()).toEqual(["other 1"]);
});

test("fails an append after five seconds, whether or not it is under way", () => {
  const { clock, queue, settled, laneOf, add, batch } = open();
  const lane = laneOf("one");
  add(lane, "a");
  clock.advance(3000);
  const [group] = [queue.takeBatch()[0]];
  add(lane, "b");
  clock.advance(1999);
  expect(settled).toEqual([]);
  clock.advance(1);
  expect([settled, group?.isOver()]).toEqual([["a blocked", "b blocked"], true]);
  // A late answer changes nothing.
  queue.succeed(lane);
  expect([settled.length, batch()]).toEqual([2, []]);
});

test("refuses lines beyond its limit, and takes others when there is room", () => {
  const { queue, settled, laneOf, add, batch } = open(10);
  const lane = laneOf("one");
  expect([add(lane, "a", 6), add(lane, "b", 5), add(lane, "c", 4)]).toEqual([true, false, true]);
  expect(settled).toEqual(["b backlog"]);
  batch();
  queue.succeed(lane);
  expect(add(lane, "d", 10)).toBe(true);
});

test("limits the lines of one batch", () => {
  const { laneOf, add, batch } = open();
  const large = 3 * 1024 * 1024;
  for (const name of ["one", "two", "three"]) add(laneOf(name), name, large);
  expect([batch(), batch(), batch()]).toEqual([["one 1", "two 1"], ["three 1"], []]);
});
