import { expect, test } from "vitest";
import { RETRY_DELAYS_MS, retryDelayMs } from "./retry-delay.ts";

const at = { now: Date.UTC(2026, 10, 19), random: () => 0 };

test("delays grow, and the last one is repeated", () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 20].map((attempts) => retryDelayMs(attempts, null, at));
  expect(delays).toEqual([...RETRY_DELAYS_MS, RETRY_DELAYS_MS.at(-1), RETRY_DELAYS_MS.at(-1)]);
});

test("jitter adds up to a tenth", () => {
  expect(retryDelayMs(1, null, { ...at, random: () => 0.999 })).toBe(5500);
});

test.each([
  ["120", 120_000],
  ["1", 5000],
  ["Thu, 19 Nov 2026 00:10:00 GMT", 600_000],
  ["Wed, 18 Nov 2026 00:00:00 GMT", 5000],
  ["soon", 5000],
  ["-5", 5000],
  ["9999999999", 5000],
])("Retry-After counts where it is later: %s", (header, delay) => {
  expect(retryDelayMs(1, header, at)).toBe(delay);
});
