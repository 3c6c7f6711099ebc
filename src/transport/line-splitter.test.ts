import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLineSplitter } from "./line-splitter.ts";

function split(chunks: readonly Buffer[], maxLineBytes = 1000) {
  const lines: string[] = [];
  const bad: string[] = [];
  const splitter = createLineSplitter({
    maxLineBytes: () => maxLineBytes,
    onLine: (line) => lines.push(line),
    onBadLine: (reason) => bad.push(reason),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, bad };
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const points = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return points.slice(1).map((end, index) => bytes.subarray(points[index], end));
}

describe("line splitter", () => {
  test("emits the same lines under any chunking", () => {
    const line = fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => text.replaceAll("\n", ""));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(2000)), fc.boolean(), (lines, cuts, lastNewline) => {
        const bytes = Buffer.from(lines.join("\n") + (lastNewline ? "\n" : ""));
        const expected = lines
          .map((text) => Buffer.from(text).toString())
          .filter((text) => text.trim() !== "");
        expect(split(cutAt(bytes, cuts))).toEqual({ lines: expected, bad: [] });
      }),
    );
  });

  test("treats any bytes the same under any chunking", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(300)), (raw, cuts) => {
        const bytes = Buffer.from(raw);
        expect(split(cutAt(bytes, cuts), 20)).toEqual(split([bytes], 20));
      }),
    );
  });

  test("a line over the bound is dropped and the next one is read", () => {
    const big = Buffer.from(`${"x".repeat(5000)}\nok\n`);
    expect(split([big.subarray(0, 3000), big.subarray(3000)])).toEqual({
      lines: ["ok"],
      bad: ["line is longer than 1000 bytes"],
    });
  });

  test("bytes that are not UTF-8 are dropped and the next line is read", () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x0a, 0x6f, 0x6b, 0x0a]);
    expect(split([bytes])).toEqual({ lines: ["ok"], bad: ["line is not valid UTF-8"] });
  });

  test("blank lines are skipped", () => {
    expect(split([Buffer.from("a\r\n\r\n  b\n\n")]).lines).toEqual(["a\r", "  b"]);
  });
});
