import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { createLogger } from "../../base/logger.ts";
import { startWatchdog } from "./watchdog.ts";

function createScene(watchdogMs: number | null, check: () => Promise<void> = async () => {}) {
  const clock = createFakeClock();
  const told: string[] = [];
  const lines: string[] = [];
  const log = createLogger({
    level: "error",
    format: "text",
    now: () => 0,
    write: (line) => lines.push(line),
  });
  const notify = async (...words: readonly string[]): Promise<void> => void told.push(words.join("|"));
  const end = startWatchdog({ manager: { notify, watchdogMs }, clock, check, log });
  /** Advances by half of the timeout, and lets pending tasks run. */
  async function passHalf(): Promise<void> {
    clock.advance((watchdogMs ?? 0) / 2);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { clock, told, lines, end, passHalf };
}

test("there is a sign of life at each half of the time, and none after the end", async () => {
  const { told, passHalf, end } = createScene(30_000);
  await passHalf();
  expect(told).toEqual(["WATCHDOG=1"]);
  await passHalf();
  await passHalf();
  expect(told).toHaveLength(3);
  end();
  await passHalf();
  expect(told).toHaveLength(3);
});

test("a store that hangs is asked once, and nobody is told that all is well", async () => {
  let asked = 0;
  const hang = (): Promise<void> => {
    asked += 1;
    return new Promise(() => {});
  };
  const { told, passHalf } = createScene(30_000, hang);
  for (let time = 0; time < 5; time += 1) await passHalf();
  expect([asked, told]).toEqual([1, []]);
});

test("a store that fails is silence, said once in the log, and it may recover", async () => {
  let fault: Error | null = new Error("a disk is gone");
  const { told, lines, passHalf } = createScene(30_000, async () => {
    if (fault !== null) throw fault;
  });
  await passHalf();
  await passHalf();
  expect(told).toEqual([]);
  expect(lines).toEqual([expect.stringMatching(/the store does not answer.*a disk is gone/u)]);
  fault = null;
  await passHalf();
  expect(told).toEqual(["WATCHDOG=1"]);
});

test("nothing is done where nobody watches, and not endlessly where somebody wants it", () => {
  expect(createScene(null).clock.waiting).toEqual([]);
  expect(createScene(0.001).clock.waiting).toEqual([100]);
});
