import fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "./clock.ts";
import { createUuidSource } from "./uuid.ts";

function clockOf(times: number[]): Clock {
  let index = 0;
  return {
    now: () => times[Math.min(index++, times.length - 1)] ?? 0,
    monotonic: () => 0,
    after: () => () => {},
  };
}

test("an id has the layout, version and variant of a UUIDv7", () => {
  const next = createUuidSource(clockOf([0x0123456789ab]));
  expect(next()).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("ids sort in creation order whatever the clock does", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 40 }), { minLength: 1, maxLength: 40 }), (times) => {
      const next = createUuidSource(clockOf(times));
      const ids = Array.from({ length: 200 }, next);
      expect(ids).toEqual(ids.toSorted());
      expect(new Set(ids).size).toBe(ids.length);
    }),
  );
});

test("more ids than fit into one millisecond stay in order", () => {
  const next = createUuidSource(clockOf([1000]));
  const ids = Array.from({ length: 10_000 }, next);
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});
