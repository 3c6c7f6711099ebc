import { expect, test } from "vitest";
import { type Clock, systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createLocalHost } from "../../process/local-host.ts";
import { sandboxWritableReason } from "../../sandbox/writable-paths.ts";
import { createNotifyProgram } from "./notify-program.ts";

const turn = { threadId: "t", turnId: "u", cwd: "/", prompts: [], answer: null };

test("a program that a confined command could have written is not run", async () => {
  const logged: unknown[] = [];
  for (const argv of [["/bin/ls"], ["ls"], ["sh", "/bin/ls"]]) {
    await createNotifyProgram({
      argv,
      isWritten: (path) => path.endsWith("/ls"),
      clientName: () => "tester",
      env: { PATH: "/usr/bin:/bin" },
      log: { ...silentLogger, warn: (_, fields) => void logged.push(fields?.["reason"]) },
      host: () => Promise.reject(new Error("it was started")),
      clock: systemClock,
    })(turn);
  }
  expect(logged).toEqual(["/bin/ls", "/usr/bin/ls", "/bin/ls"].map(sandboxWritableReason));
});

test("a program that does not end is ended", async () => {
  const timers: [number, () => void][] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    after(delayMs, task) {
      timers.push([delayMs, task]);
      return () => {};
    },
  };
  const logged: string[] = [];
  const host = createLocalHost({});
  const notify = createNotifyProgram({
    argv: ["/bin/sh", "-c", "sleep 300"],
    isWritten: () => false,
    clientName: () => "tester",
    env: { PATH: "/usr/bin:/bin" },
    log: { ...silentLogger, warn: (message) => void logged.push(message) },
    host: async () => host,
    clock,
  });
  const told = notify(turn);
  await expect.poll(() => timers.length).toBe(1);
  expect(timers[0]?.[0]).toBe(60_000);
  timers[0]?.[1]();
  await told;
  expect(logged).toEqual(["the program of `notify` did not end"]);
  await host.close();
});
