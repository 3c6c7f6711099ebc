import type { ServerNotifications } from "../../protocol/generated/types.ts";

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
