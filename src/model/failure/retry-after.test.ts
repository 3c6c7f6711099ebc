import { expect, test } from "vitest";
import { parseRetryAfter } from "./http-failure.ts";

test("whole seconds and dates are parsed, anything else is ignored", () => {
  const now = Date.UTC(2026, 10, 15, 12, 0, 0);
  const read = (value: string | undefined) => parseRetryAfter(value, now);
  expect(["0", "7", " 7 ", "Sun, 15 Nov 2026 12:00:05 GMT"].map(read)).toEqual([0, 7000, 7000, 5000]);
  expect(["1.5", "-1", "soon", "", "Sun, soon", undefined].map(read)).toEqual(Array(6).fill(null));
});

test("a past date is no delay, and delays are limited to a day", () => {
  expect(parseRetryAfter("Sun, 15 Nov 2026 12:00:00 GMT", Date.UTC(2027, 0, 1))).toBe(0);
  expect(parseRetryAfter("99999999999", 0)).toBe(86_400_000);
});
