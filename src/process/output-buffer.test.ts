import fc from "fast-check";
import { expect, test } from "vitest";
import { createHeadTailBuffer, decodeOutput } from "./output-buffer.ts";

test("head and tail are the same however the stream is chunked", () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c", "d", "e"), maxLength: 12 }));
  fc.assert(
    fc.property(pieces, fc.integer({ min: 2, max: 30 }), (chunks, maxBytes) => {
      const kept = createHeadTailBuffer(maxBytes);
      for (const chunk of chunks) kept.push(Buffer.from(chunk));
      const whole = chunks.join("");
      const head = Math.floor(maxBytes / 2);
      const omitted = Math.max(0, whole.length - maxBytes);
      const expected =
        omitted === 0
          ? whole
          : `${whole.slice(0, head)}\n... ${omitted} bytes omitted ...\n${whole.slice(whole.length - (maxBytes - head))}`;
      expect([kept.total(), kept.omitted(), kept.text()]).toEqual([whole.length, omitted, expected]);
    }),
  );
});

test("invalid UTF-8 is decoded to replacement characters", () => {
  const kept = createHeadTailBuffer(100);
  kept.push(Buffer.from([0xff, 0xfe, 0x61]));
  kept.push(Buffer.from([0xc3]));
  kept.push(Buffer.from([0xa9]));
  expect(kept.text()).toBe("\ufffd\ufffdaé");
});

const decode = (latin1: string) => decodeOutput(Buffer.from(latin1, "latin1"));

test("valid UTF-8 keeps its BOM and loses a truncated last character", () => {
  expect(decodeOutput(Buffer.from("gr\u00fcn \ud83c\udf3f"))).toBe("gr\u00fcn \ud83c\udf3f");
  expect(decodeOutput(Buffer.from("\ufeffx"))).toBe("\ufeffx");
  expect(decode("h\xc3")).toBe("h");
});

test("a BOM selects UTF-16 and is removed", () => {
  expect(decode("\xff\xfe")).toBe("");
  expect(decode("\xff\xfeh\0i\0")).toBe("hi");
  expect(decode("\xfe\xff\0h\0i")).toBe("hi");
});

test("other output is decoded as Windows-1252", () => {
  expect(decode("caf\xe9\n")).toBe("caf\u00e9\n");
  expect(decode("a\xffb")).toBe("a\u00ffb");
  expect(decode("\x93quoted\x94 \x96 \x80\x81\x9f")).toBe("\u201cquoted\u201d \u2013 \u20ac\u0081\u0178");
});
