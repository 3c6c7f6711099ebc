/**
 * An attack: somebody who controls a model, a repository, a file, a client or a confined command tries to break one
 * promise of a built server. To add one, write it in the file of its area in `catalogue/` and list the area in
 * `catalogue.ts`. An attack gets a fresh ground, draws its variant from `ground.random`, and calls `ground.breach`
 * with what it saw when the promise did not hold. It must be seen to succeed against a server without the defence.
 */
import type { AttackGround } from "./attack-ground.ts";

export type Attack = {
  /** The area and the idea: `sandbox/start-up files`. */
  readonly name: string;
  /** The sentence that would be untrue if it succeeded. */
  readonly promise: string;
  run(ground: AttackGround): Promise<void>;
};
