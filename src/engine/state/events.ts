import type {
  HookRunSummary,
  ServerNotifications,
  ThreadItem,
  ThreadReadState,
  ThreadStatus,
  ThreadWaiting,
  TokenUsageBreakdown,
  TurnError,
} from "../../protocol/generated/types.ts";
import type { TurnKind, TurnOutcome } from "./turn-state.ts";

/**
 * Sends a notification of a thread. The receiver picks the recipients by the audience that the notification's row
 * declares. Called in event order, and never blocks.
 */
export type Emit = <M extends keyof ServerNotifications>(method: M, params: ServerNotifications[M]) => void;

/** `Emit` for the engine, which has many threads. */
export type EmitFor = <M extends keyof ServerNotifications>(
  threadId: string,
  method: M,
  params: ServerNotifications[M],
) => void;

/** Internal events that other server modules act on; clients receive notifications instead. */
export type ThreadEvent = StateEvent | WorkEvent;

type StateEvent =
  | { readonly type: "loaded"; readonly isNew: boolean }
  | { readonly type: "turnStarted"; readonly turnId: string; readonly kind: TurnKind }
  /** The end of the turn is persisted. */
  | {
      readonly type: "turnEnded";
      readonly turnId: string;
      readonly kind: TurnKind;
      readonly outcome: TurnOutcome;
    }
  /** No turn runs, and one can be accepted. */
  | { readonly type: "idle" }
  | { readonly type: "statusChanged"; readonly status: ThreadStatus }
  /** An asynchronous hook wakes the thread with this text, which it has written; the key is that of its run. */
  | { readonly type: "hookWoke"; readonly key: string; readonly text: string }
  | { readonly type: "readStateChanged"; readonly readState: ThreadReadState }
  | { readonly type: "unloaded" };

/** Events inside a turn, for metrics and traces. */
type WorkEvent =
  /** One response is requested; retries belong to the same request. */
  | {
      readonly type: "modelAsked";
      readonly turnId: string;
      readonly requestId: string;
      readonly provider: string;
      readonly model: string;
    }
  /** Its first delta has arrived. */
  | { readonly type: "answerBegun"; readonly turnId: string; readonly requestId: string }
  | {
      readonly type: "modelRetried";
      readonly turnId: string;
      readonly requestId: string;
      readonly error: TurnError;
    }
  | ModelAnswered
  | { readonly type: "callBegun"; readonly turnId: string; readonly callId: string }
  | {
      readonly type: "callEnded";
      readonly turnId: string;
      readonly callId: string;
      /** The name of a built-in tool, or else the kind of an external one. */
      readonly tool: string;
      readonly isDone: boolean;
      /** The run time of the tool itself; null where it did not start. */
      readonly ranMs: number | null;
    }
  | {
      readonly type: "hookBegun";
      readonly turnId: string;
      /** Null for a hook that is not about a call. */
      readonly callId: string | null;
      readonly run: HookRunSummary;
    }
  | { readonly type: "hookEnded"; readonly turnId: string; readonly run: HookRunSummary }
  /** Nothing of the turn runs until a question is answered or a limit ends, and a later process could continue it. */
  | { readonly type: "turnWaiting"; readonly turnId: string; readonly reason: ThreadWaiting["reason"] }
  /** The limit that it has waited for has ended. */
  | { readonly type: "turnResumed"; readonly turnId: string }
  /** The item is persisted, and clients are about to be notified. */
  | { readonly type: "itemCompleted"; readonly item: ThreadItem }
  /** An append to the journal has succeeded or failed. */
  | { readonly type: "appended"; readonly isPersisted: boolean; readonly durationMs: number };

export interface ModelAnswered {
  readonly type: "modelAnswered";
  readonly turnId: string;
  readonly requestId: string;
  /** `broken`: the stream broke; finished items count, and a new request follows. */
  readonly outcome: "completed" | "failed" | "broken" | "interrupted";
  /** Null unless the outcome is `failed`. */
  readonly error: TurnError | null;
  /** Null where the provider reported none. */
  readonly usage: TokenUsageBreakdown | null;
}

/** Events of one thread arrive in order. A listener neither blocks nor throws. */
export type OnThreadEvent = (event: ThreadEvent) => void;
export type OnEngineEvent = (threadId: string, event: ThreadEvent) => void;
