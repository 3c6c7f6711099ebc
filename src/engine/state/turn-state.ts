import type { HookRunSummary, ThreadItem, Turn, TurnError } from "../../protocol/generated/types.ts";
import type { AppendFailure } from "../../store/journal.ts";
import { type OriginatedTurn, rootTurnIdOf } from "./turn-origin.ts";

/** What turns there are. */
export type TurnKind = "user" | "compact" | "review" | "shell";

/** How they differ before their work begins. */
export interface TurnTraits {
  /** Whether it ends the turn that runs; another one is not accepted while a turn runs. */
  readonly replacesActive: boolean;
  /** Whether input can be added to it while it runs. */
  readonly isSteerable: boolean;
  /** Whether clients hear of it as soon as it begins; a review shows first what it is about. */
  readonly isAnnounced: boolean;
  /** Whether the user is warned of what its configuration lacks before it begins. */
  readonly warns: boolean;
}

export const TURN_TRAITS: Readonly<Record<TurnKind, TurnTraits>> = {
  user: { replacesActive: false, isSteerable: true, isAnnounced: true, warns: true },
  compact: { replacesActive: true, isSteerable: false, isAnnounced: true, warns: false },
  review: { replacesActive: true, isSteerable: false, isAnnounced: false, warns: false },
  shell: { replacesActive: false, isSteerable: true, isAnnounced: true, warns: false },
};

/**
 * The states of a turn.
 *
 *     accepted --begin--> running --end--> ended
 *
 * On the way it may lose a line of its history, show that it will fail, and run hooks.
 */
export type TurnState =
  | (TurnRecord & { readonly phase: "accepted"; readonly lost: AppendFailure | null })
  | (TurnRecord & {
      readonly phase: "running";
      readonly startedAtMs: number;
      /** Why something of it could not be kept; it ends with that. */
      readonly lost: AppendFailure | null;
      /** Clients know that it will end with this. */
      readonly failure: TurnError | null;
    })
  | (TurnRecord & {
      readonly phase: "ended";
      readonly startedAtMs: number;
      readonly endedAtMs: number;
      readonly outcome: TurnOutcome;
    });

interface TurnRecord {
  readonly hookRuns: readonly HookRunSummary[];
  /** A hook wants it to end once what runs is done. */
  readonly isStopping: boolean;
}

/** How the work of a turn ended. */
export type TurnOutcome =
  | { readonly kind: "completed"; readonly lastMessage: ThreadItem | null }
  | { readonly kind: "interrupted" }
  | FailedTurn;

export interface FailedTurn {
  readonly kind: "failed";
  readonly error: TurnError;
}

export type TurnEvent =
  | { readonly type: "begin"; readonly atMs: number }
  | { readonly type: "lose"; readonly fault: AppendFailure }
  | { readonly type: "showFailure"; readonly error: TurnError }
  /** A hook has begun, or one that had begun has ended. */
  | { readonly type: "hookRun"; readonly run: HookRunSummary }
  | { readonly type: "stop" }
  | { readonly type: "end"; readonly atMs: number; readonly outcome: TurnOutcome };

export const ACCEPTED: TurnState = {
  phase: "accepted",
  lost: null,
  hookRuns: [],
  isStopping: false,
};

/** The state after an event. An event that the state does not take is a mistake of the caller. */
export function advance(state: TurnState, event: TurnEvent): TurnState {
  if (state.phase !== "ended") {
    if (event.type === "lose") return { ...state, lost: state.lost ?? event.fault };
    if (event.type === "hookRun") return { ...state, hookRuns: withRun(state.hookRuns, event.run) };
    if (event.type === "stop") return { ...state, isStopping: true };
  }
  if (state.phase === "accepted" && event.type === "begin") {
    return { ...state, phase: "running", startedAtMs: event.atMs, failure: null };
  }
  if (state.phase === "running") {
    if (event.type === "showFailure") return { ...state, failure: state.failure ?? event.error };
    if (event.type === "end") {
      const { startedAtMs, hookRuns, isStopping } = state;
      const { atMs: endedAtMs, outcome } = event;
      return { phase: "ended", startedAtMs, endedAtMs, outcome, hookRuns, isStopping };
    }
  }
  throw new Error(`a turn that is ${state.phase} cannot ${event.type}`);
}

/** Why something of a turn could not be kept. */
export function lostBy(state: TurnState): AppendFailure | null {
  return state.phase === "ended" ? null : state.lost;
}

/** In the order in which they began, which their ids tell: some are known only once they have ended. */
function withRun(runs: readonly HookRunSummary[], run: HookRunSummary): readonly HookRunSummary[] {
  const at = runs.findLastIndex(({ runId }) => runId <= run.runId);
  return runs[at]?.runId === run.runId ? runs.with(at, run) : runs.toSpliced(at + 1, 0, run);
}

/** A failure of which clients know no kind. */
export function failedWith(message: string): FailedTurn {
  return {
    kind: "failed",
    error: { message, codexErrorInfo: "other", additionalDetails: null, misalignment: null },
  };
}

/** A turn as clients see it. Items are given by the caller, who knows how many it wants to show. */
export function toTurn(turn: OriginatedTurn, state: TurnState, items: ThreadItem[]): Turn {
  const startedAtMs = state.phase === "accepted" ? null : state.startedAtMs;
  const endedAtMs = state.phase === "ended" ? state.endedAtMs : null;
  const outcome = state.phase === "ended" ? state.outcome : null;
  return {
    id: turn.id,
    rootTurnId: rootTurnIdOf(turn),
    items,
    itemsView: items.length === 0 ? "notLoaded" : "summary",
    status: outcome?.kind ?? "inProgress",
    error: outcome?.kind === "failed" ? outcome.error : null,
    startedAt: toSeconds(startedAtMs),
    completedAt: toSeconds(endedAtMs),
    durationMs: startedAtMs === null || endedAtMs === null ? null : endedAtMs - startedAtMs,
    hookRuns: [...state.hookRuns],
  };
}

function toSeconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1000);
}
