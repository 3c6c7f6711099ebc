import { expect, test } from "vitest";
import { playRounds } from "../crash/play-rounds.ts";
import { HEDDLE } from "../support/start-server.ts";

const ROUNDS = 25;

test("a server that is killed again and again keeps every promise", { timeout: 120_000 }, async () => {
  const played = await playRounds({ seed: 20, program: HEDDLE, isEnough: (rounds) => rounds >= ROUNDS });
  expect(played).toEqual({ rounds: ROUNDS, failure: null });
});
