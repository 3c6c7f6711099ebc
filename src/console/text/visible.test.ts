import { expect, test } from "vitest";
import { hasInvisible, toVisible } from "./visible.ts";

const shown = (text: string): string =>
  toVisible(text)
    .map((part) => part.text)
    .join("");

test.each([
  ["rm \u202efdp.txt", "rm ‹U+202E›fdp.txt"],
  ["a\u200bb\u2060c", "a‹U+200B›b‹U+2060›c"],
  ["\u001b[2K\u0007", "‹U+001B›[2K‹U+0007›"],
  ["\ue000\u{e0041}", "‹U+E000›‹U+E0041›"],
  ["a\u3164b\u2028c", "a‹U+3164›b‹U+2028›c"],
  ["\u0000", "‹U+0000›"],
])("%j is drawn with marks", (text, expected) => {
  expect(shown(text)).toBe(expected);
  expect(hasInvisible(text)).toBe(true);
});

test.each(["npm test", "a\tb\nc", "שלום ü 日本 👍", ""])("%j is drawn as it is", (text) => {
  expect(shown(text)).toBe(text);
  expect(hasInvisible(text)).toBe(false);
});
