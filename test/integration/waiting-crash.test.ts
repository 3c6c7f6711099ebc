import { expect, test } from "vitest";
import { playWaitingRounds } from "../crash/waiting-rounds.ts";
import { createRandom } from "../support/random.ts";
import { HEDDLE } from "../support/start-server.ts";

test("work that waits on a server that is killed again and again starts once, and is announced", {
  timeout: 150_000,
}, async () => {
  const report = await playWaitingRounds({
    random: createRandom(11),
    program: HEDDLE,
    isEnough: (rounds) => rounds >= 8,
  });
  // The numbers depend on how busy the machine is.
  for (const count of [report.woken, report.scheduled, report.suspended, report.announced])
    expect(count).toBeGreaterThan(0);
});
