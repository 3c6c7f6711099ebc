import fc from "fast-check";
import { expect, test } from "vitest";
import { joinWords, splitWords } from "./shlex.ts";

test("words come back from the line that they were joined into", () => {
  const word = fc.string({
    unit: fc.constantFrom("a", "é", "😀", " ", "'", '"', "\\", "$", "`", "!", "^", "#", "\n", "*", ";"),
  });
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(splitWords(joinWords(words))).toEqual(words);
    }),
  );
});

test("a line with an open quote has no words", () => {
  expect(["'a", '"a', "a\\", '"a\\'].map(splitWords)).toEqual([null, null, null, null]);
});

test("a NUL has no place in a line", () => {
  expect(joinWords(["a\0b"])).toBe("<command included NUL byte>");
});
