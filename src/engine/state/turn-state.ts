import type { FailureCause } from "../../model/model.ts";
import type { HookRunSummary, ThreadItem, Turn, TurnError } from "../../protocol/generated/types.ts";
import type { AppendFailure } from "../../store/journal.ts";
import { withSummary } from "../../store/lines/thread-events.ts";
import { type OriginatedTurn, rootTurnIdOf } from "./turn-origin.ts";

export type TurnKind = "user" | "compact" | "review" | "shell";

/** Properties of a kind of turn that matter before its work begins. */
export interface TurnTraits {
  /** Whether it interrupts the running turn; other kinds are not accepted while a turn runs. */
  readonly replacesActive: boolean;
  /** Whether input can be added to it while it runs. */
  readonly isSteerable: boolean;
  /** Whether `turn/started` is sent as soon as it begins; a review shows its target first. */
  readonly isAnnounced: boolean;
  /** Whether configuration warnings are sent before it begins. */
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
 * Before it ends, an append may fail, a failure may be shown to clients, and hooks may run.
 */
export type TurnState =
  | (TurnRecord & { readonly phase: "accepted"; readonly appendFailure: AppendFailure | null })
  | (TurnRecord & {
      readonly phase: "running";
      readonly startedAtMs: number;
      /** The first failed append, which the turn ends with. */
      readonly appendFailure: AppendFailure | null;
      /** The error that clients have already been shown. */
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
  /** A hook has requested that the turn end after the current step. */
  readonly isStopping: boolean;
}

/** The result of a turn's work. */
export type TurnOutcome =
  | { readonly kind: "completed"; readonly lastMessage: ThreadItem | null }
  | { readonly kind: "interrupted" }
  | FailedTurn;

export interface FailedTurn {
  readonly kind: "failed";
  readonly error: TurnError;
  /** Why the provider did not answer, where another model or time would help. */
  readonly cause?: FailureCause;
}

export type TurnStateEvent =
  | { readonly type: "begin"; readonly atMs: number }
  | { readonly type: "appendFailed"; readonly failure: AppendFailure }
  | { readonly type: "showFailure"; readonly error: TurnError }
  /** A hook run has started or ended. */
  | { readonly type: "hookRun"; readonly run: HookRunSummary }
  | { readonly type: "stop" }
  | { readonly type: "end"; readonly atMs: number; readonly outcome: TurnOutcome };

export const ACCEPTED: TurnState = {
  phase: "accepted",
  appendFailure: null,
  hookRuns: [],
  isStopping: false,
};

/** Returns the state after an event; throws on an event that is invalid in the state. */
export function nextTurnState(state: TurnState, event: TurnStateEvent): TurnState {
  if (state.phase !== "ended") {
    if (event.type === "appendFailed")
      return { ...state, appendFailure: state.appendFailure ?? event.failure };
    if (event.type === "hookRun") return { ...state, hookRuns: withSummary(state.hookRuns, event.run) };
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
  throw new Error(`turn event ${event.type} is invalid in phase ${state.phase}`);
}

/** The failed append of a turn that has not ended. */
export function appendFailureOf(state: TurnState): AppendFailure | null {
  return state.phase === "ended" ? null : state.appendFailure;
}

export function toFailedTurn({ error, cause }: Pick<FailedTurn, "error" | "cause">): FailedTurn {
  return cause === undefined ? { kind: "failed", error } : { kind: "failed", error, cause };
}

/** A failure with the error kind `other`. */
export function failedWith(message: string): FailedTurn {
  return {
    kind: "failed",
    error: { message, codexErrorInfo: "other", additionalDetails: null, misalignment: null },
  };
}

/** Converts a turn to its wire view, with the items that the caller chooses to include. */
export function toTurnView(turn: OriginatedTurn, state: TurnState, items: ThreadItem[]): Turn {
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
