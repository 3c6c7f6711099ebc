import { expect, test } from "vitest";
import type { Clock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createLocalHost } from "../../tools/process/local-host.ts";
import { createNotifyProgram } from "./notify-program.ts";

test("a program that does not end is ended", async () => {
  const timers: [number, () => void][] = [];
  const clock: Clock = {
    now: () => 0,
    after(delayMs, task) {
      timers.push([delayMs, task]);
      return () => {};
    },
  };
  const logged: string[] = [];
  const host = createLocalHost({});
  const notify = createNotifyProgram({
    argv: ["/bin/sh", "-c", "sleep 300"],
    clientName: () => "tester",
    env: { PATH: "/usr/bin:/bin" },
    log: { ...silentLogger, warn: (message) => void logged.push(message) },
    host: async () => host,
    clock,
  });
  const told = notify({ threadId: "t", turnId: "u", cwd: "/", said: [], answer: null });
  await expect.poll(() => timers.length).toBe(1);
  expect(timers[0]?.[0]).toBe(60_000);
  timers[0]?.[1]();
  await told;
  expect(logged).toEqual(["the program of `notify` did not end"]);
  await host.close();
});
