import fc from "fast-check";
import { expect, test } from "vitest";
import { createFrameReader, encodeFrame, FRAME } from "./frame.ts";

test("frames are decoded unchanged however the stream is chunked", () => {
  const frames = fc.array(
    fc.record({
      kind: fc.constantFrom(...Object.values(FRAME)),
      id: fc.nat(),
      body: fc.uint8Array({ maxLength: 40 }),
    }),
  );
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 30 })), (sent, cuts) => {
      const got: { kind: number; id: number; body: Uint8Array }[] = [];
      const push = createFrameReader(({ kind, id, body }) =>
        got.push({ kind, id, body: new Uint8Array(body) }),
      );
      let rest = Buffer.concat(sent.map(({ kind, id, body }) => encodeFrame(kind, id, body)));
      for (const cut of cuts) {
        push(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      push(rest);
      expect(got).toEqual(sent.map((each) => ({ ...each, body: new Uint8Array(each.body) })));
    }),
  );
});
