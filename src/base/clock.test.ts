import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LONGEST_TIMER_MS, systemClock } from "./clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LONG_MS = 2 * LONGEST_TIMER_MS + 5;

test("a wait longer than any timer takes ends when its time has come, and not before", () => {
  const ended = vi.fn();
  systemClock.after(LONG_MS, ended);
  vi.advanceTimersByTime(LONG_MS - 1);
  expect(ended).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(ended).toHaveBeenCalledOnce();
});

test("a long wait can be cancelled at any time", () => {
  const ended = vi.fn();
  const cancel = systemClock.after(LONG_MS, ended);
  vi.advanceTimersByTime(LONGEST_TIMER_MS + 1);
  cancel();
  expect(vi.getTimerCount()).toBe(0);
});
