import type {
  HookRunSummary,
  ServerNotifications,
  ThreadItem,
  ThreadReadState,
  ThreadStatus,
  TokenUsageBreakdown,
  TurnError,
} from "../../protocol/generated/types.ts";
import type { TurnKind, TurnOutcome } from "./turn-state.ts";

/**
 * How a thread says what happened. The receiver decides who hears it, by the audience that the
 * notification's row declares. Called in the order of the events, and never waits.
 */
export type Emit = <M extends keyof ServerNotifications>(method: M, params: ServerNotifications[M]) => void;

/** The same for the engine, whose threads are told apart by their ids. */
export type EmitFor = <M extends keyof ServerNotifications>(
  threadId: string,
  method: M,
  params: ServerNotifications[M],
) => void;

/** What the rest of the server acts on. Clients hear of the same things by notifications. */
export type ThreadEvent = StateEvent | WorkEvent;

type StateEvent =
  | { readonly type: "loaded" }
  | { readonly type: "turnStarted"; readonly turnId: string; readonly kind: TurnKind }
  /** Its end is kept. */
  | {
      readonly type: "turnEnded";
      readonly turnId: string;
      readonly kind: TurnKind;
      readonly outcome: TurnOutcome;
    }
  /** Nothing runs, and a turn can be accepted. */
  | { readonly type: "idle" }
  | { readonly type: "statusChanged"; readonly status: ThreadStatus }
  | { readonly type: "readStateChanged"; readonly readState: ThreadReadState }
  | { readonly type: "unloaded" };

/** What turns do, for those who measure it. */
type WorkEvent =
  /** One response is asked for, in however many tries. */
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
      /** A tool of ours, or the kind of another. */
      readonly tool: string;
      readonly isDone: boolean;
      /** How long the tool itself has run; null where it did not begin. */
      readonly ranMs: number | null;
    }
  | {
      readonly type: "hookBegun";
      readonly turnId: string;
      /** The call that it is about; null where it is about none. */
      readonly callId: string | null;
      readonly run: HookRunSummary;
    }
  | { readonly type: "hookEnded"; readonly turnId: string; readonly run: HookRunSummary }
  /** It is kept, and clients are about to be notified of it. */
  | { readonly type: "itemCompleted"; readonly item: ThreadItem }
  /** Lines of the history are on the disk, or lost. */
  | { readonly type: "appended"; readonly isKept: boolean; readonly durationMs: number };

export interface ModelAnswered {
  readonly type: "modelAnswered";
  readonly turnId: string;
  readonly requestId: string;
  /** `broken`: what had arrived counts, and the rest is asked for anew. */
  readonly outcome: "completed" | "failed" | "broken" | "interrupted";
  /** Why it failed; null unless it did. */
  readonly error: TurnError | null;
  /** Null where the provider did not say. */
  readonly usage: TokenUsageBreakdown | null;
}

/** Events of one thread arrive in their order. A listener never waits and never throws. */
export type OnThreadEvent = (event: ThreadEvent) => void;
export type OnEngineEvent = (threadId: string, event: ThreadEvent) => void;
