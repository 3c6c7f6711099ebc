import { expect, test } from "vitest";
import { decodeBase64 } from "./decode-base64.ts";

test.each([
  ["", ""],
  ["aGkK", "hi\n"],
  ["aGk=", "hi"],
  ["aA==", "h"],
])("%j is read", (text, expected) => {
  expect(decodeBase64(text)).toEqual({ ok: true, bytes: Buffer.from(expected) });
});

test.each([
  ["a", "Invalid input length: 1"],
  ["abcde", "Invalid input length: 5"],
  ["ab", "Invalid padding"],
  ["abc", "Invalid padding"],
  ["abcdefg", "Invalid padding"],
  ["a===", "Invalid symbol 61, offset 1."],
  ["=abc", "Invalid symbol 61, offset 0."],
  ["aB=c", "Invalid symbol 61, offset 2."],
  ["aGkK=", "Invalid symbol 61, offset 4."],
  ["aQ==aQ==", "Invalid symbol 61, offset 2."],
  ["%%%", "Invalid symbol 37, offset 0."],
  ["aGk=\n", "Invalid symbol 10, offset 4."],
  ["aGk%", "Invalid symbol 37, offset 3."],
  ["ab==", "Invalid last symbol 98, offset 1."],
  ["aGl=", "Invalid last symbol 108, offset 2."],
])("%j is refused", (text, reason) => {
  expect(decodeBase64(text)).toEqual({ ok: false, reason });
});
