import type { ThreadItem, Turn, TurnError } from "../../protocol/generated/types.ts";

/**
 * The life of a turn.
 *
 *     accepted --begin--> running --complete---> completed
 *                            |  \----fail------> failed
 *                            \-----interrupt---> interrupted
 */
export type TurnState =
  | { readonly phase: "accepted" }
  | { readonly phase: "running"; readonly startedAtMs: number }
  | { readonly phase: "completed"; readonly startedAtMs: number; readonly endedAtMs: number }
  | {
      readonly phase: "failed";
      readonly startedAtMs: number;
      readonly endedAtMs: number;
      readonly error: TurnError;
    }
  | { readonly phase: "interrupted"; readonly startedAtMs: number; readonly endedAtMs: number };

export type TurnEvent =
  | { readonly type: "begin"; readonly atMs: number }
  | { readonly type: "complete"; readonly atMs: number }
  | { readonly type: "fail"; readonly atMs: number; readonly error: TurnError }
  | { readonly type: "interrupt"; readonly atMs: number };

/** The state after an event. An event that the state does not take is a mistake of the caller. */
export function advance(state: TurnState, event: TurnEvent): TurnState {
  if (state.phase === "accepted") {
    if (event.type === "begin") return { phase: "running", startedAtMs: event.atMs };
  } else if (state.phase === "running") {
    const times = { startedAtMs: state.startedAtMs, endedAtMs: event.atMs };
    if (event.type === "complete") return { phase: "completed", ...times };
    if (event.type === "fail") return { phase: "failed", ...times, error: event.error };
    if (event.type === "interrupt") return { phase: "interrupted", ...times };
  }
  throw new Error(`a turn that is ${state.phase} cannot ${event.type}`);
}

const STATUS = {
  accepted: "inProgress",
  running: "inProgress",
  completed: "completed",
  failed: "failed",
  interrupted: "interrupted",
} as const;

/** A turn as clients see it. Items are given by the caller, who knows how many it wants to show. */
export function toTurn(id: string, state: TurnState, items: ThreadItem[]): Turn {
  const startedAtMs = state.phase === "accepted" ? null : state.startedAtMs;
  const endedAtMs = "endedAtMs" in state ? state.endedAtMs : null;
  return {
    id,
    rootTurnId: id,
    items,
    itemsView: items.length === 0 ? "notLoaded" : "summary",
    status: STATUS[state.phase],
    error: state.phase === "failed" ? state.error : null,
    startedAt: toSeconds(startedAtMs),
    completedAt: toSeconds(endedAtMs),
    durationMs: startedAtMs === null || endedAtMs === null ? null : endedAtMs - startedAtMs,
    hookRuns: [],
  };
}

function toSeconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1000);
}
