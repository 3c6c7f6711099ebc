/** Plays rounds until the limit or a violation. Each home serves for some rounds, so that none grows too large. */

import { createRandom } from "../support/random.ts";
import type { Program } from "../support/start-server.ts";
import { Violation } from "../support/violation.ts";
import { openRounds } from "./rounds.ts";

export type Failure = {
  readonly message: string;
  readonly evidence: unknown;
  /** The folder with everything that the server has written. */
  readonly home: string;
};

export type Played = {
  readonly rounds: number;
  readonly failure: Failure | null;
};

export type PlayOptions = {
  readonly seed: number;
  readonly program: Program;
  readonly isEnough: (rounds: number) => boolean;
  readonly onRound?: (rounds: number) => void;
};

const ROUNDS_EACH = 40;

export async function playRounds({ seed, program, isEnough, onRound }: PlayOptions): Promise<Played> {
  const random = createRandom(seed);
  let played = 0;
  while (!isEnough(played)) {
    const rounds = await openRounds({ random, program });
    try {
      for (let index = 0; index < ROUNDS_EACH && !isEnough(played); index += 1) {
        played += 1;
        await rounds.run();
        onRound?.(played);
      }
    } catch (error) {
      await rounds.close({ keepHome: true });
      const evidence =
        error instanceof Violation ? error.evidence : { stack: error instanceof Error ? error.stack : error };
      const message = error instanceof Error ? error.message : String(error);
      return { rounds: played, failure: { message, evidence, home: rounds.home.root } };
    }
    await rounds.close({ keepHome: false });
  }
  return { rounds: played, failure: null };
}
