import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonDepth, toWellFormedJson, toWellFormedValue } from "./well-formed.ts";

describe("JSON text", () => {
  test.each([
    ['{"a":"\\ud800"}', '{"a":"\\ufffd"}'],
    ['{"a":"\\uDFFF x"}', '{"a":"\\ufffd x"}'],
    ['{"a":"\\ud83d\\ude00"}', '{"a":"\\ud83d\\ude00"}'],
    ['{"a":"\\\\ud800"}', '{"a":"\\\\ud800"}'],
    ['{"a":"\\\\\\ud800"}', '{"a":"\\\\\\ufffd"}'],
    ['{"a":"\\ud800\\ud83d\\ude00"}', '{"a":"\\ufffd\\ud83d\\ude00"}'],
    ['{"a":"\ud800"}', '{"a":"\ufffd"}'],
  ])("%j has no half characters", (given, expected) => {
    expect(toWellFormedJson(given)).toBe(expected);
  });

  test("means the same as the well-formed value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const text = toWellFormedJson(JSON.stringify(value));
        expect(JSON.stringify(JSON.parse(text)).isWellFormed()).toBe(true);
        expect(/\\ud[89a-f]/u.test(text.replaceAll("\\\\", ""))).toBe(false);
        expect(JSON.parse(text)).toEqual(toWellFormedValue(JSON.parse(JSON.stringify(value)), 100));
      }),
    );
  });

  test.each([
    ["", 0],
    ["1", 0],
    ["[]", 1],
    ['{"a":[{"b":"[[[["}]}', 3],
    ['{"a":"\\"[["}', 1],
    ["[".repeat(1500) + "]".repeat(1500), 1500],
  ])("%j is nested", (text, depth) => {
    expect(jsonDepth(text)).toBe(depth);
  });
});

describe("a value", () => {
  test("stays the same object if it is well-formed", () => {
    const value = { a: [1, "x", { b: null }], c: "😀" };
    expect(toWellFormedValue(value, 10)).toBe(value);
  });

  test("has its lone surrogates replaced, also in names", () => {
    expect(toWellFormedValue({ "\ud800": ["\udc00", { a: "x\ud83d" }] }, 10)).toEqual({
      "\ufffd": ["\ufffd", { a: "x\ufffd" }],
    });
  });

  test("loses values that are nested too deeply", () => {
    let value: unknown = "x";
    for (let depth = 0; depth < 50_000; depth += 1) value = [value];
    expect(JSON.stringify(toWellFormedValue(value, 3))).toBe("[[[null]]]");
  });
});
