import type { ActiveTurn } from "./active-turn.ts";
import { compact } from "./compaction/compact.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnOutcome } from "./turn-outcome.ts";

/** A turn that only makes the history shorter. */
export async function runCompactTurn(core: ThreadCore, turn: ActiveTurn): Promise<TurnOutcome> {
  const outcome = await compact(core, turn, await core.setup());
  return outcome.kind === "compacted" ? { kind: "completed", lastMessage: null } : outcome;
}
