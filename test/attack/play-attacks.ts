/** Plays attacks one after the other, each with a fresh harness, and returns their outcomes. */
import { createRandom } from "../support/random.ts";
import type { Program } from "../support/start-server.ts";
import { Violation } from "../support/violation.ts";
import { within } from "../support/within.ts";
import type { Attack } from "./attack.ts";
import { openAttackHarness } from "./attack-harness.ts";

export type AttackOutcome = {
  readonly name: string;
  readonly seed: number;
  readonly milliseconds: number;
  /** Null if the promise held. */
  readonly breach: { readonly message: string; readonly evidence: unknown } | null;
};

export type PlayAttacksOptions = {
  readonly attacks: readonly Attack[];
  readonly program: Program;
  /** Each attack is played once per seed. */
  readonly seeds: readonly number[];
  readonly onPlayed?: (outcome: AttackOutcome) => void;
};

const DEADLINE_MS = 120_000;

export async function playAttacks(options: PlayAttacksOptions): Promise<AttackOutcome[]> {
  const outcomes: AttackOutcome[] = [];
  for (const seed of options.seeds) {
    for (const attack of options.attacks) {
      const outcome = await play(attack, seed, options.program);
      outcomes.push(outcome);
      options.onPlayed?.(outcome);
    }
  }
  return outcomes;
}

async function play(attack: Attack, seed: number, program: Program): Promise<AttackOutcome> {
  const harness = openAttackHarness(createRandom(seed), program);
  const start = performance.now();
  const end = (breach: AttackOutcome["breach"]): AttackOutcome => ({
    name: attack.name,
    seed,
    milliseconds: Math.round(performance.now() - start),
    breach,
  });
  try {
    await within(attack.run(harness), DEADLINE_MS, `the end of the attack ${attack.name}`);
    return end(null);
  } catch (error) {
    // A server that no longer responds is a breach too, whatever the target of the attack.
    const evidence =
      error instanceof Violation ? error.evidence : error instanceof Error ? error.stack : error;
    return end({ message: error instanceof Error ? error.message : String(error), evidence });
  } finally {
    await harness.close();
  }
}
