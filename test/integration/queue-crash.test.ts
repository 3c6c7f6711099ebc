import { expect, test } from "vitest";
import { playQueueRounds } from "../crash/queue-rounds.ts";
import { createRandom } from "../support/random.ts";
import { HEDDLE } from "../support/start-server.ts";

test("queues of a server that is killed again and again lose nothing and run nothing twice", {
  timeout: 120_000,
}, async () => {
  const report = await playQueueRounds({
    random: createRandom(16),
    program: HEDDLE,
    isEnough: (rounds) => rounds >= 10,
    threads: 4,
    rowsEach: 12,
  });
  // The number depends on how busy the machine is.
  expect(report.accepted).toBeGreaterThan(0);
  expect(report.started).toBeGreaterThan(0);
});
