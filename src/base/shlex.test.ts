import fc from "fast-check";
import { expect, test } from "vitest";
import { joinWords, splitWords } from "./shlex.ts";

test("joined words split into the same words", () => {
  const word = fc.string({
    unit: fc.constantFrom("a", "é", "😀", " ", "'", '"', "\\", "$", "`", "!", "^", "#", "\n", "*", ";"),
  });
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(splitWords(joinWords(words))).toEqual(words);
    }),
  );
});

test("a line with an unterminated quote cannot be split", () => {
  expect(["'a", '"a', "a\\", '"a\\'].map(splitWords)).toEqual([null, null, null, null]);
});

test("a word with NUL cannot be joined", () => {
  expect(joinWords(["a\0b"])).toBe("<command included NUL byte>");
});
