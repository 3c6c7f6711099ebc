import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createMemory, createMemoryStore } from "../../store/memory/memory-store.ts";
import { newRow, ROOMY, textParams } from "../../store/queue-row.fixture.ts";
import { readQueue } from "./read-queue.ts";

const ROWS = ["1", "2", "3"];

/** A queue with one row per page, and a concurrent change after each of the first pages. */
async function openQueue(between: readonly ("start" | "add" | "none")[] = []) {
  const { queue } = createMemoryStore(createMemory(), { clock: systemClock, owner: "here" });
  const add = (rowId: string) =>
    queue.add("t", newRow(rowId, { params: textParams("x".repeat(1e6)) }), ROOMY);
  for (const rowId of ROWS) await add(rowId);
  const remaining = [...between];
  const sizes: number[] = [];
  return {
    sizes,
    ids: queue.ids,
    async list(...args: Parameters<typeof queue.list>) {
      const page = await queue.list(...args);
      sizes.push(page.rows.length);
      const what = remaining.shift();
      if (what === "start") await queue.remove("t", (await queue.find("t", null)) ?? "");
      if (what === "add") await add("4");
      return page;
    },
  };
}

const read = async (queue: Awaited<ReturnType<typeof openQueue>>) =>
  (await readQueue(queue, "t", ({ rowId }) => rowId)).rows.join("");

describe("a queue is read", () => {
  test("a page at a time", async () => {
    const queue = await openQueue();
    expect(await read(queue)).toBe("123");
    expect(queue.sizes).toEqual([1, 1, 1]);
  });

  test.each([
    ["starts", ["start"], "23"],
    ["starts at the end", ["none", "start"], "23"],
    ["comes", ["none", "add"], "123"],
    ["starts, and another comes", ["start", "add"], "234"],
  ] as const)("as it was at one moment, also when a row %s meanwhile", async (_, between, expected) => {
    expect(await read(await openQueue(between))).toBe(expected);
  });

  test("not if it keeps changing", async () => {
    const { list } = await openQueue();
    await expect(readQueue({ list, ids: async () => ["other"] }, "t", String)).rejects.toThrow(
      "the queue keeps changing",
    );
  });

  test("also if it is empty", async () => {
    const { queue } = createMemoryStore(createMemory(), { clock: systemClock, owner: "here" });
    await queue.pause("t", "why");
    expect(await readQueue(queue, "t", String)).toEqual({ rows: [], pause: "why" });
  });
});
