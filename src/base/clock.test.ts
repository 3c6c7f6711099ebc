import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MAX_TIMER_MS, startStopwatch, systemClock } from "./clock.ts";
import { createFakeClock } from "./fake-clock.fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LONG_MS = 2 * MAX_TIMER_MS + 5;

test("a delay beyond the timer limit fires on time, not early", () => {
  const ended = vi.fn();
  systemClock.after(LONG_MS, ended);
  vi.advanceTimersByTime(LONG_MS - 1);
  expect(ended).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(ended).toHaveBeenCalledOnce();
});

test("a long delay can be cancelled at any time", () => {
  const ended = vi.fn();
  const cancel = systemClock.after(LONG_MS, ended);
  vi.advanceTimersByTime(MAX_TIMER_MS + 1);
  cancel();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ["left alone", (ms: number) => ms],
  ["set back", () => 0],
  ["set forth", (ms: number) => ms + 3_600_000],
])("a clock that is %s meanwhile changes no duration, and no order of times", (_name, set) => {
  const clock = createFakeClock(1_000_000);
  const stopwatch = startStopwatch(clock);
  clock.advance(250);
  clock.set(set(clock.now()));
  clock.advance(250.4);
  expect([stopwatch.startedAtMs, stopwatch.elapsedMs(), stopwatch.nowMs()]).toEqual([
    1_000_000, 500, 1_000_500,
  ]);
});
