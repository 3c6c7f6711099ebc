import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { MAX_WAKES_PER_MINUTE } from "./wake-limits.ts";
import { createWakeRate } from "./wake-rate.ts";

test("a token may be used so often at once, and then as fast as its bucket refills", () => {
  const clock = createFakeClock();
  const rate = createWakeRate(clock);
  const uses = Array.from({ length: MAX_WAKES_PER_MINUTE }, () => rate.take("a"));
  expect(uses.every((waitMs) => waitMs === 0)).toBe(true);
  expect(rate.take("a")).toBe(60_000 / MAX_WAKES_PER_MINUTE);
  expect(rate.take("b")).toBe(0);
  clock.advance(60_000 / MAX_WAKES_PER_MINUTE);
  expect([rate.take("a"), rate.take("a") > 0]).toEqual([0, true]);
  clock.advance(3_600_000);
  const later = Array.from({ length: MAX_WAKES_PER_MINUTE + 1 }, () => rate.take("a"));
  expect(later.filter((waitMs) => waitMs === 0)).toHaveLength(MAX_WAKES_PER_MINUTE);
});
