/** Rows of the log of started turns, as databases have them. */
import { decodeClientKey, type QueuedTurnEnd, type StartedRow } from "../queue-log.ts";

export interface LogRow {
  readonly thread_id: string;
  readonly row_id: string;
  readonly client_id: string | null;
  readonly turn_id: string;
  readonly preview: string;
  readonly started_at_ms: number;
  readonly how: QueuedTurnEnd["how"] | null;
  readonly ended_at_ms: number | null;
  readonly duration_ms: number | null;
  readonly tokens: number | null;
  readonly error: string | null;
}

export function toStartedRow(row: LogRow): StartedRow {
  return {
    threadId: row.thread_id,
    rowId: row.row_id,
    clientUserMessageId: decodeClientKey(row.client_id),
    turnId: row.turn_id,
    preview: row.preview,
    startedAtMs: row.started_at_ms,
    end:
      row.how === null
        ? null
        : {
            how: row.how,
            atMs: row.ended_at_ms ?? row.started_at_ms,
            durationMs: row.duration_ms,
            tokens: row.tokens,
            error: row.error,
          },
  };
}
