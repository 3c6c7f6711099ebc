import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { createCpuShare } from "./cpu-share.ts";
import { createFakeClock } from "./fake-clock.fixture.ts";

test("each call covers the time since the one before", () => {
  const clock = createFakeClock();
  let cpu = 500;
  const share = createCpuShare(clock, () => cpu);
  clock.advance(100);
  cpu += 25;
  expect(share()).toBe(0.25);
  clock.advance(100);
  expect(share()).toBe(0);
  cpu += 2;
  expect(share()).toBe(2);
});

test("a busy process is told from a waiting one", async () => {
  const share = createCpuShare(systemClock);
  const end = performance.now() + 100;
  while (performance.now() < end);
  const busy = share();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(share()).toBeLessThan(busy);
});
