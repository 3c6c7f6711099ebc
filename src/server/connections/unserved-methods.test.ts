import { describe, expect, test } from "vitest";
import type { MethodHandlers } from "./unserved-methods.ts";

/** Whether handlers of type `H` could be given to the dispatcher. */
const accepts = (_handlers: MethodHandlers) => true;
const all = {} as MethodHandlers;

describe("the compiler checks that every row is served or in the list", () => {
  test("a method in neither does not compile", () => {
    const { "thread/start": _, ...others } = all;
    // @ts-expect-error thread/start has no handler and is not in the list
    expect(accepts(others)).toBe(true);
  });

  test("a method in both does not compile", () => {
    const more = { ...all, "thread/queue/delete": () => ({}) };
    // @ts-expect-error thread/queue/delete has a handler and is in the list
    expect(accepts(more)).toBe(true);
  });

  test("a handler under a name that has no row does not compile", () => {
    // @ts-expect-error no row is called thread/begin
    expect(accepts({ ...all, "thread/begin": () => ({}) })).toBe(true);
  });
});
