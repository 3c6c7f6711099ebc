import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../support/random.ts";
import { fitLine, type Point, valueAt } from "./fit-line.ts";

const SIZES = [50, 100, 200, 400, 800, 1600, 3200];
const along = (value: (size: number) => number): Point[] =>
  SIZES.map((size) => ({ size, value: value(size) }));

describe("the line through points", () => {
  test("that lie on one is that one", () => {
    const numbers = fc.integer({ min: -1000, max: 1000 });
    const sizes = fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { minLength: 2, maxLength: 9 });
    fc.assert(
      fc.property(numbers, numbers, sizes, (base, slope, at) => {
        const line = fitLine(at.map((size) => ({ size, value: base + slope * size })));
        expect(line.slope).toBeCloseTo(slope, 6);
        expect(valueAt(line, 500)).toBeCloseTo(base + slope * 500, 3);
      }),
    );
  });

  test.each([1, 2, 3, 4, 5])("that are a twentieth off is hardly another (seed %d)", (seed) => {
    const random = createRandom(seed);
    const line = fitLine(along((size) => (4 + 0.01 * size) * (0.95 + 0.1 * random.next())));
    expect(Math.abs(line.slope / 0.01 - 1)).toBeLessThan(0.1);
  });

  test.each(SIZES)("does not follow the one that is far off, at %d", (odd) => {
    const line = fitLine(along((size) => (size === odd ? 1000 : 4 + 0.01 * size)));
    expect(line.slope).toBeCloseTo(0.01, 3);
    expect(line.base).toBeCloseTo(4, 0);
  });

  test.each<[string, Point[], number]>([
    ["one point", [{ size: 3, value: 7 }], 7],
    ["points of one size", [1, 2, 9].map((value) => ({ size: 3, value })), 2],
  ])("is level through %s", (_name, points, base) => {
    expect(fitLine(points)).toEqual({ slope: 0, base });
  });
});
