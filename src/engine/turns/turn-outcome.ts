import type { ThreadItem, TurnError } from "../../protocol/generated/types.ts";
import type { TurnEvent } from "../turn-state.ts";

/** How the work of a turn ended. */
export type TurnOutcome =
  | { readonly kind: "completed"; readonly lastMessage: ThreadItem | null }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly error: TurnError };

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
