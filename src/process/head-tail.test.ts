import fc from "fast-check";
import { expect, test } from "vitest";
import { createHeadTail } from "./head-tail.ts";

test("the head and the tail are those of the whole, however it came", () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c", "d", "e"), maxLength: 12 }));
  fc.assert(
    fc.property(pieces, fc.integer({ min: 2, max: 30 }), (chunks, maxBytes) => {
      const kept = createHeadTail(maxBytes);
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

test("bytes that are no text are shown as replacement characters", () => {
  const kept = createHeadTail(100);
  kept.push(Buffer.from([0xff, 0xfe, 0x61]));
  kept.push(Buffer.from([0xc3]));
  kept.push(Buffer.from([0xa9]));
  expect(kept.text()).toBe("\ufffd\ufffdaé");
});
