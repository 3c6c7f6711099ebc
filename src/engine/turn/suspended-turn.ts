import type { SuspendedTurnFacts } from "../../store/lines/suspended-calls.ts";
import type { EventState } from "../../store/lines/thread-events.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ContinuedCalls } from "./call-batch.ts";
import type { HeldWait } from "./limit-wait.ts";
import type { TurnOptions } from "./submission.ts";

/** A turn that an earlier process has left waiting for an answer, or for the end of a usage limit. */
export type SuspendedTurn = {
  /** Its lines so far, as far as its view and the durable events of its further lines depend on them. */
  readonly eventState: EventState;
} & ContinuedWork;

export type ContinuedWork = { readonly calls: ContinuedCalls } | { readonly held: HeldWait };

/** The facts with which a later process continues a turn. */
export function describeTurn(
  { id: turnId, origin, state }: Pick<ActiveTurn, "id" | "origin" | "state">,
  { outputSchema, serviceTier }: TurnOptions,
  nowMs: number,
): SuspendedTurnFacts {
  const { rootTurnId, parentTurnId } = origin;
  const startedAtMs = state.phase === "running" ? state.startedAtMs : nowMs;
  return { turnId, rootTurnId, parentTurnId, startedAtMs, outputSchema, serviceTier };
}

export function factsOf(work: ContinuedWork): SuspendedTurnFacts {
  return "calls" in work ? work.calls.turn : work.held.wait.turn;
}
