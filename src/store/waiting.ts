import type { ThreadWaiting } from "../protocol/generated/types.ts";
import type { Wait } from "./waits.ts";

/** The wire view of a wait for the end of a usage limit. */
export function toWaiting({ turn, reason, attempt, sinceMs, untilMs, message }: Wait): ThreadWaiting {
  return {
    reason,
    turnId: turn.turnId,
    attempt,
    message,
    since: Math.floor(sinceMs / 1000),
    until: Math.ceil(untilMs / 1000),
  };
}
