import { expect, test } from "vitest";
import { closeAll, once, oncePerTick } from "./tasks.ts";

test("what was made is kept, also while it is being made", async () => {
  let count = 0;
  const { get, made } = once(async () => ++count);
  expect(await made()).toBe(null);
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect([await get(), await made()]).toEqual([1, 1]);
});

test("what could not be made is tried anew when it is asked for again", async () => {
  let count = 0;
  const { get, made } = once(async () => {
    count += 1;
    if (count === 1) throw new Error("not yet");
    return count;
  });
  const [first, meanwhile] = [get(), made()];
  await expect(first).rejects.toThrow("not yet");
  expect([await meanwhile, await made()]).toEqual([null, null]);
  expect(await get()).toBe(2);
});

test("what cannot be closed keeps nothing else open, and the first error is told", async () => {
  const closed: string[] = [];
  const fails = (name: string) => async () => {
    closed.push(name);
    throw new Error(name);
  };
  const steps = [() => closed.push("a"), fails("b"), fails("c"), async () => closed.push("d")];
  await expect(closeAll(steps)).rejects.toThrow("b");
  expect(closed).toEqual(["a", "b", "c", "d"]);
});

test("a look holds until there is a pause, or it is renewed", async () => {
  let count = 0;
  const { get, renew } = oncePerTick(() => ++count);
  expect([get(), get()]).toEqual([1, 1]);
  await Promise.resolve();
  expect([get(), renew(), get()]).toEqual([1, 2, 2]);
  await new Promise((resolve) => setImmediate(resolve));
  expect([get(), get()]).toEqual([3, 3]);
});
