import { expect, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { createServerTime } from "./store-time.ts";

test("follows the clock of the server, whatever that of this machine shows", () => {
  const clock = createFakeClock(1_000_000);
  const time = createServerTime(clock);
  time.observe(5_000_000, 10);
  expect(time.now()).toBe(5_000_005);
  clock.set(0);
  clock.advance(100);
  expect(time.now()).toBe(5_000_105);
});

test("keeps an estimate that an answer allows for, so that its times stay in order", () => {
  const clock = createFakeClock(0);
  const time = createServerTime(clock);
  time.observe(5_000_000, 10);
  // The server's time is between 5,000,001 and 5,000,041.
  time.observe(5_000_001, 40);
  expect(time.now()).toBe(5_000_005);
  time.observe(5_000_100, 4);
  expect(time.now()).toBe(5_000_102);
});
