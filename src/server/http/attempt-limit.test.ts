import { expect, test } from "vitest";
import { createAttemptLimit, FAILURE_WINDOW_MS, MAX_FAILURES, MAX_TOTAL_FAILURES } from "./attempt-limit.ts";

function open() {
  const time = { now: 1000 };
  const limit = createAttemptLimit(() => time.now);
  const fail = (address: string, times: number) => {
    for (let count = 0; count < times; count++) limit.failed(address);
  };
  return { time, limit, fail };
}

test("a caller is refused after its failures until the window ends, and others are not", () => {
  const { time, limit, fail } = open();
  fail("a", MAX_FAILURES - 1);
  expect(limit.refuse("a")).toBeNull();
  fail("a", 1);
  expect([limit.refuse("a"), limit.refuse("b")]).toEqual([FAILURE_WINDOW_MS / 1000, null]);
  time.now += FAILURE_WINDOW_MS - 1;
  expect(limit.refuse("a")).toBe(1);
  time.now += 1;
  expect(limit.refuse("a")).toBeNull();
});

test("all callers are refused once they have failed too often together", () => {
  const { time, limit, fail } = open();
  for (let caller = 0; caller < MAX_TOTAL_FAILURES; caller++) fail(`caller ${caller}`, 1);
  expect(limit.refuse("new")).toBe(FAILURE_WINDOW_MS / 1000);
  time.now += FAILURE_WINDOW_MS;
  expect(limit.refuse("new")).toBeNull();
});

test("an attempt that succeeded does not count", () => {
  const { limit, fail } = open();
  for (let count = 0; count < 10 * MAX_FAILURES; count++) {
    fail("a", 1);
    limit.succeeded("a");
  }
  expect(limit.refuse("a")).toBeNull();
});
