import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameJson } from "./same-json.ts";

/** Few keys and values, so that equal ones are frequent. */
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, undefined, true, 0, -0, 1, "", "0", "a"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("0", "a", "b", "length"), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));

test("values are equal where Node says so", () => {
  fc.assert(
    fc.property(values, values, (one, other) => {
      expect(isSameJson(one, other)).toBe(isDeepStrictEqual(one, other));
      expect(isSameJson(one, structuredClone(one))).toBe(true);
    }),
  );
});

test("the order of members does not count, and an absent member differs from an undefined one", () => {
  expect(isSameJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true);
  expect(isSameJson({ a: undefined }, {})).toBe(false);
  expect(isSameJson({ a: undefined }, { b: undefined })).toBe(false);
  expect(isSameJson(["a"], { 0: "a" })).toBe(false);
});
