import fc from "fast-check";
import { expect, test } from "vitest";
import { findAll, foldCase, snippetAround } from "./snippet.ts";

test("a term is found case-insensitively, with ranges in the original text", () => {
  expect(findAll("Tick tock TICK", "tick")).toEqual([
    { start: 0, end: 4 },
    { start: 10, end: 14 },
  ]);
  expect(findAll("aaaa", "aa", 1)).toEqual([{ start: 0, end: 2 }]);
  expect(findAll("text", "")).toEqual([]);
});

test("ranges are correct if case folding makes a text longer", () => {
  expect(findAll("İİ x", "X")).toEqual([{ start: 3, end: 4 }]);
});

test("a snippet has the range of its match and marks truncation", () => {
  const text = `${"a".repeat(60)}NEEDLE${"b".repeat(120)}`;
  const [match = { start: 0, end: 0 }] = findAll(text, "needle");
  const snippet = snippetAround(text, match);
  expect(snippet.text).toBe(`... ${"a".repeat(49)}NEEDLE${"b".repeat(96)} ...`);
  expect(snippet.text.slice(snippet.match.start, snippet.match.end)).toBe("NEEDLE");
});

test("a snippet contains its match and splits no surrogate pair", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary", minLength: 1 }),
      (around, term) => {
        const text = `${around}${term}${around}`;
        for (const match of findAll(text, term)) {
          const snippet = snippetAround(text, match);
          expect(snippet.text.slice(snippet.match.start, snippet.match.end)).toBe(
            text.slice(match.start, match.end),
          );
          expect(foldCase(text.slice(match.start, match.end))).toContain(foldCase(term).slice(0, 1));
          expect(Buffer.from(snippet.text).toString()).toBe(snippet.text);
        }
      },
    ),
  );
});
