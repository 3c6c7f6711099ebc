import { expect, test } from "vitest";
import { createEventQueue } from "./event-queue.ts";

test("values are read in order, before and after somebody waits for them, and then the end", async () => {
  const { values, push, end } = createEventQueue<number>();
  push(1);
  const read = (async () => {
    const all: number[] = [];
    for await (const value of values) all.push(value);
    return all;
  })();
  await Promise.resolve();
  push(2);
  push(3);
  end();
  push(4);
  expect(await read).toEqual([1, 2, 3]);
});

test("a failure comes behind what came before it, once", async () => {
  const { values, push, fail } = createEventQueue<number>();
  push(1);
  fail(new Error("lost"));
  expect(await values.next()).toEqual({ done: false, value: 1 });
  await expect(values.next()).rejects.toThrow("lost");
  expect(await values.next()).toEqual({ done: true, value: undefined });
});

test("who does not read loses the rest, and hears of it", async () => {
  const { values, push } = createEventQueue<number>(2);
  for (const value of [1, 2, 3, 4]) push(value);
  expect([(await values.next()).value, (await values.next()).value]).toEqual([1, 2]);
  await expect(values.next()).rejects.toThrow("2 events were not read");
});

test("who leaves is not waited for", async () => {
  const { values, push } = createEventQueue<number>();
  push(1);
  await values.return?.();
  push(2);
  expect(await values.next()).toEqual({ done: true, value: undefined });
});
