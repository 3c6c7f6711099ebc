/**
 * An attack: an attacker who controls a model, a repository, a file, a client or a sandboxed command tries to break one
 * promise of a built server. To add one, write it in the file of its area in `catalogue/` and list the area in
 * `catalogue.ts`. An attack gets a fresh harness, draws its variant from `harness.random`, and calls `harness.breach`
 * with the evidence if the promise did not hold. It must succeed against a server without the defence.
 */
import type { AttackHarness } from "./attack-harness.ts";

export type Attack = {
  /** The area and the idea: `sandbox/start-up files`. */
  readonly name: string;
  /** The sentence that a successful attack would refute. */
  readonly promise: string;
  run(harness: AttackHarness): Promise<void>;
};
