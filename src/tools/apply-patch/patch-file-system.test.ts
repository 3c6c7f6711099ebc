import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeFault } from "./patch-file-system.ts";

test.each([
  [[0xff, 0xfe], "invalid utf-8 sequence of 1 bytes from index 0"],
  [[0x61, 0xc3, 0x61], "invalid utf-8 sequence of 1 bytes from index 1"],
  [[0x61, 0xe2, 0x82, 0x61], "invalid utf-8 sequence of 2 bytes from index 1"],
  [[0xf0, 0x9f, 0x98, 0x28], "invalid utf-8 sequence of 3 bytes from index 0"],
  [[0xed, 0xa0, 0x80], "invalid utf-8 sequence of 1 bytes from index 0"],
  [[0xc3, 0xa9, 0xe2, 0x82], "incomplete utf-8 byte sequence from index 2"],
])("bytes %j are called %s", (bytes, text) => {
  expect(decodeFault(Uint8Array.from(bytes))).toBe(text);
});

test("invalid UTF-8 has a fault with its position, also after valid text", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      fc.pre(!isUtf8(bytes));
      const place = Number(/index (\d+)$/.exec(decodeFault(bytes))?.[1]);
      expect(isUtf8(bytes.subarray(0, place))).toBe(true);
      expect(isUtf8(bytes.subarray(0, place + 1))).toBe(false);
    }),
  );
});
