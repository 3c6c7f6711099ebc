/** Rows of turns that wait, as databases have them. */
import type { SuspendedTurnFacts } from "../lines/suspended-calls.ts";
import type { NewWait, Wait } from "../waits.ts";

export interface StoredWait {
  readonly thread_id: string;
  readonly since_ms: number;
  readonly until_ms: number;
  readonly attempt: number;
  readonly message: string;
  /** As JSON. */
  readonly turn: string;
}

export function toWait(row: StoredWait): Wait {
  const reason: NewWait["reason"] = "usageLimit";
  return {
    threadId: row.thread_id,
    turn: JSON.parse(row.turn) as SuspendedTurnFacts,
    reason,
    sinceMs: row.since_ms,
    untilMs: row.until_ms,
    attempt: row.attempt,
    message: row.message,
  };
}
