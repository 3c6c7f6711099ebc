import { expect, test } from "vitest";
import { closeAll, once, oncePerTick } from "./tasks.ts";

test("a value is created once, also for concurrent callers", async () => {
  let count = 0;
  const { get, peek } = once(async () => ++count);
  expect(await peek()).toBe(null);
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect([await get(), await peek()]).toEqual([1, 1]);
});

test("a failed creation is retried on the next call", async () => {
  let count = 0;
  const { get, peek } = once(async () => {
    count += 1;
    if (count === 1) throw new Error("not yet");
    return count;
  });
  const [first, meanwhile] = [get(), peek()];
  await expect(first).rejects.toThrow("not yet");
  expect([await meanwhile, await peek()]).toEqual([null, null]);
  expect(await get()).toBe(2);
});

test("a failing step does not stop the others, and the first error is thrown", async () => {
  const closed: string[] = [];
  const fails = (name: string) => async () => {
    closed.push(name);
    throw new Error(name);
  };
  const steps = [() => closed.push("a"), fails("b"), fails("c"), async () => closed.push("d")];
  await expect(closeAll(steps)).rejects.toThrow("b");
  expect(closed).toEqual(["a", "b", "c", "d"]);
});

test("a value is cached until the next tick or a refresh", async () => {
  let count = 0;
  const { get, refresh } = oncePerTick(() => ++count);
  expect([get(), get()]).toEqual([1, 1]);
  await Promise.resolve();
  expect([get(), refresh(), get()]).toEqual([1, 2, 2]);
  await new Promise((resolve) => setImmediate(resolve));
  expect([get(), get()]).toEqual([3, 3]);
});
