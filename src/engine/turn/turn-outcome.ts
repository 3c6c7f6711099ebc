import type { ThreadItem, TurnError } from "../../protocol/generated/types.ts";
import type { TurnEvent } from "../state/turn-state.ts";

/** How the work of a turn ended. */
export type TurnOutcome =
  | { readonly kind: "completed"; readonly lastMessage: ThreadItem | null }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly error: TurnError };

export type FailedTurn = Extract<TurnOutcome, { kind: "failed" }>;

/** A failure of which clients know no kind. */
export function failedWith(message: string): FailedTurn {
  return {
    kind: "failed",
    error: { message, codexErrorInfo: "other", additionalDetails: null, misalignment: null },
  };
}

export function toTurnEvent(outcome: TurnOutcome, atMs: number): TurnEvent {
  switch (outcome.kind) {
    case "completed":
      return { type: "complete", atMs };
    case "interrupted":
      return { type: "interrupt", atMs };
    case "failed":
      return { type: "fail", atMs, error: outcome.error };
  }
}
