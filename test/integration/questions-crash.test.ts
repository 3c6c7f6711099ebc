import { expect, test } from "vitest";
import { playQuestionRounds } from "../crash/question-rounds.ts";
import { createRandom } from "../support/random.ts";
import { HEDDLE } from "../support/start-server.ts";

test("questions of a server that is killed again and again are kept, and no call runs twice", {
  timeout: 120_000,
}, async () => {
  const report = await playQuestionRounds({
    random: createRandom(7),
    program: HEDDLE,
    isEnough: (rounds) => rounds >= 8,
  });
  // The numbers depend on how busy the machine is.
  expect(report.seen).toBeGreaterThan(0);
  expect(report.ran).toBeGreaterThan(0);
});
