import type { ServerNotifications, TurnError } from "../../protocol/generated/types.ts";

/** A server notification, with its method as discriminant. */
export type Notice = {
  [M in keyof ServerNotifications]: { readonly method: M; readonly params: ServerNotifications[M] };
}[keyof ServerNotifications];

/** Notifications that `exec` renders or tracks. */
export const SUBSCRIBED_METHODS = [
  "configWarning",
  "deprecationNotice",
  "warning",
  "error",
  "hook/started",
  "hook/completed",
  "item/started",
  "item/completed",
  "model/rerouted",
  "thread/tokenUsage/updated",
  "turn/started",
  "turn/plan/updated",
  "turn/diff/updated",
  "turn/completed",
] as const satisfies readonly (keyof ServerNotifications)[];

/** Whether a notice belongs to this turn, or to no turn at all. */
export function isAboutTurn({ params }: Notice, threadId: string, turnId: string): boolean {
  const about = params as {
    readonly threadId?: string | null;
    readonly turnId?: string | null;
    readonly turn?: { readonly id: string };
  };
  const turn = about.turn?.id ?? about.turnId ?? turnId;
  return (about.threadId ?? threadId) === threadId && turn === turnId;
}

export function withDetails(message: string, details: string | null): string {
  return details === null || details === "" ? message : `${message} (${details})`;
}

export function describeError({ message, additionalDetails }: TurnError): string {
  return withDetails(message, additionalDetails);
}
