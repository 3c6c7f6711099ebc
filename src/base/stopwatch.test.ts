import { expect, test } from "vitest";
import { createFakeClock } from "./fake-clock.fixture.ts";
import { startStopwatch } from "./stopwatch.ts";

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
