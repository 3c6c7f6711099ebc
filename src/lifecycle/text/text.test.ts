import fc from "fast-check";
import { expect, test } from "vitest";
import { DEEPEST_JSON, isJson, MOST_JSON_VALUES, ownMember, sortedJson } from "./json.ts";
import { isBlank, isWellFormed, toWellFormed, utf8Length } from "./text.ts";

test("the length of a text is that of its UTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }),
  );
  expect(utf8Length("\ud800x")).toBe(new TextEncoder().encode("\ud800x").length);
  expect(utf8Length("\udc00\ud800")).toBe(6);
});

test("half a pair is found and replaced", () => {
  for (const text of ["\ud800", "a\udfff", "\ud800\ud800\udc00", "\udc00\ud800"]) {
    expect(isWellFormed(text)).toBe(false);
    expect(toWellFormed(text)).toBe(new TextDecoder().decode(new TextEncoder().encode(text)));
  }
  expect(isWellFormed("🧵")).toBe(true);
});

test.each([
  ["", true],
  [" \t\n\u000b\f\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000", true],
  ["\ufeff", false],
  ["\u200b", false],
  [" x ", false],
])("%j is blank: %s", (text, blank) => expect(isBlank(text)).toBe(blank));

test("sorted JSON is the same value, with its keys in order", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = sortedJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(sortedJson(JSON.parse(text))).toBe(text);
      expect(JSON.parse(sortedJson(value, 2))).toEqual(JSON.parse(text));
    }),
  );
  expect(sortedJson({ b: 1, a: [{}, []] }, 2)).toBe(JSON.stringify({ a: [{}, []], b: 1 }, null, 2));
  expect(sortedJson(JSON.parse('{"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1}}');
});

test("what is no JSON, too deep or too large is not taken", () => {
  const circle: unknown[] = [];
  circle.push(circle);
  const deep = (depth: number): unknown => (depth === 0 ? 1 : { a: deep(depth - 1) });
  for (const value of [
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1n,
    () => 1,
    Symbol("s"),
    new Date(),
    new Map(),
    circle,
  ])
    expect(isJson(value)).toBe(false);
  expect(isJson([1, undefined])).toBe(false);
  expect(isJson(deep(DEEPEST_JSON))).toBe(true);
  expect(isJson(deep(DEEPEST_JSON + 1))).toBe(false);
  expect(isJson(Array.from({ length: MOST_JSON_VALUES + 1 }, () => 1))).toBe(false);
  expect(isJson(JSON.parse('{"__proto__":1}'))).toBe(true);
});

test("only own members are members", () => {
  expect(ownMember({}, "toString")).toBeUndefined();
  expect(ownMember(JSON.parse('{"__proto__":1}'), "__proto__")).toBe(1);
  expect(ownMember("text", "length")).toBeUndefined();
});
