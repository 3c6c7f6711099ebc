import { expect, test } from "vitest";
import type { Clock } from "../base/clock.ts";
import { createFakeClock } from "../base/fake-clock.fixture.ts";
import { createDeferred } from "../base/tasks.ts";
import { untilDrained } from "./trailing-output.ts";

test("a process without CPU time reads pending output before the timeout", async () => {
  // However long the timeout, it has expired when this process reads the clock.
  const starved: Clock = {
    now: () => 0,
    monotonic: () => 0,
    after(_delayMs, task) {
      const timer = setImmediate(task);
      return () => clearImmediate(timer);
    },
  };
  const closed = createDeferred<void>();
  let isRead = false;
  setImmediate(() =>
    setImmediate(() => {
      isRead = true;
      closed.resolve();
    }),
  );
  await untilDrained({ closed: closed.promise }, starved);
  expect(isRead).toBe(true);
});

test("output held open by other processes is awaited until a short timeout or the abort signal", async () => {
  const clock = createFakeClock();
  const closed = new Promise<void>(() => {});
  const aborted = new AbortController();
  const cut = untilDrained({ closed }, clock, aborted.signal);
  aborted.abort();
  await cut;
  let isOver = false;
  const waited = untilDrained({ closed }, clock).then(() => {
    isOver = true;
  });
  for (let ms = 0; ms < 40; ms += 10) {
    clock.advance(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(isOver).toBe(false);
  clock.advance(10);
  await waited;
});
