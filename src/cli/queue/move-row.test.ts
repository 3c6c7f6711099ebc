import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createMemory, createMemoryStore } from "../../store/memory/memory-store.ts";
import { newRow, ROOMY } from "../../store/queue-row.fixture.ts";
import { chooseRow, moveRow } from "./move-row.ts";

const rowIds = ["aa1", "ab2", "b", "ba"];

describe("a row is chosen", () => {
  test.each([
    ["aa1", "aa1"],
    ["2", "ab2"],
    ["b", "b"],
    ["ba", "ba"],
  ])("by %j: %s", (word, expected) => {
    expect(chooseRow(rowIds, word)).toBe(expected);
  });

  test.each([
    ["a", "'a' stands for 3 queued turns: use a whole id"],
    ["c", "no queued turn 'c' waits in this thread"],
    ["", "no queued turn '' waits in this thread"],
  ])("%j is refused", (word, message) => {
    expect(() => chooseRow(rowIds, word)).toThrow(message);
  });
});

/** A queue whose first row another process starts before each of the first reorders. */
async function openQueue(started = 0) {
  const { queue } = createMemoryStore(createMemory(), { clock: systemClock, owner: "here" });
  for (const rowId of ["1", "2", "3", "4"]) await queue.add("t", newRow(rowId), ROOMY);
  let left = started;
  const order = () => queue.ids("t");
  const reorder = async (threadId: string, rowIds: readonly string[]) => {
    const [first = ""] = await order();
    if (left-- > 0) await queue.remove("t", first);
    return queue.reorder(threadId, rowIds);
  };
  return { ids: queue.ids, reorder, order: async () => (await order()).join("") };
}

describe("a row is moved", () => {
  test.each([
    ["3", 1, "3124", 1],
    ["1", 2, "2134", 2],
    ["1", 4, "2341", 4],
    ["2", 99, "1342", 4],
    ["2", 2, "1234", 2],
  ])("%s to %d: %s", async (id, position, order, at) => {
    const queue = await openQueue();
    expect(await moveRow(queue, "t", id, position)).toEqual({ rowId: id, position: at });
    expect(await queue.order()).toBe(order);
  });

  test("while other rows are started", async () => {
    const queue = await openQueue(2);
    expect(await moveRow(queue, "t", "4", 1)).toEqual({ rowId: "4", position: 1 });
    expect(await queue.order()).toBe("43");
  });

  test("not if it has been started itself", async () => {
    await expect(moveRow(await openQueue(1), "t", "1", 3)).rejects.toThrow("no queued turn '1' waits");
  });

  test("not in a queue that keeps changing", async () => {
    const { ids } = await openQueue();
    const queue = { ids, reorder: async () => false };
    await expect(moveRow(queue, "t", "1", 2)).rejects.toThrow("the queue keeps changing");
  });
});
