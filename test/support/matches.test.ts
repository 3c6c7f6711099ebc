import { describe, expect, it } from "vitest";
import { matches } from "./matches.ts";

describe("matches", () => {
  it.each([
    [{ a: 1, b: 2 }, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [[1, 2], [1, 2], true],
    [[1, 2], [1], false],
    [{ a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] }, true],
    [null, null, true],
    [null, {}, false],
    ["text", { $regex: "^te" }, true],
    [5, { $regex: "5" }, false],
    [{}, { a: { $absent: true } }, true],
    [{ a: null }, { a: { $absent: true } }, false],
    [[{ n: 1 }, { n: 2 }], { $includes: [{ n: 2 }] }, true],
    [[{ n: 1 }], { $includes: [{ n: 2 }] }, false],
    [[{ n: 1 }], { $excludes: [{ n: 2 }] }, true],
    [[{ n: 2 }], { $excludes: [{ n: 2 }] }, false],
  ])("%j against %j: %s", (actual, pattern, matched) => {
    expect(matches(actual, pattern)).toBe(matched);
  });
});
