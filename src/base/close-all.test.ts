import { expect, test } from "vitest";
import { closeAll } from "./close-all.ts";

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
