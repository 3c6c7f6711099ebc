import { expect, test } from "vitest";
import { slopeOf } from "./measure-heap.ts";

test("the slope is that of the line through all samples", () => {
  const samples = [0, 1, 2, 3].map((minutes) => ({ minutes, bytes: 100 + 7 * minutes + (minutes % 2) }));
  expect(slopeOf(samples)).toBeCloseTo(7.2);
  expect(slopeOf(samples.map(({ minutes }) => ({ minutes, bytes: 5 })))).toBe(0);
});
