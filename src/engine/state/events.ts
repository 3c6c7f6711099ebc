import type { ServerNotifications, ThreadReadState, ThreadStatus } from "../../protocol/generated/types.ts";
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
export type ThreadEvent =
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

/** Events of one thread arrive in their order. A listener never waits and never throws. */
export type OnThreadEvent = (event: ThreadEvent) => void;
export type OnEngineEvent = (threadId: string, event: ThreadEvent) => void;
