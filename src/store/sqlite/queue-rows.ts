import type { QueueRow, RowFailure } from "../queue.ts";

/** A row of the table `queue`. */
export interface StoredRow {
  readonly number: number;
  readonly thread_id: string;
  readonly row_id: string;
  readonly client_id: string | null;
  readonly params: string;
  readonly not_before_ms: number | null;
  readonly position: number;
  readonly state: QueueRow["state"];
  readonly turn_id: string | null;
  readonly claim_owner: string | null;
  readonly claim_epoch: number | null;
  readonly failure: string | null;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

export function toQueueRow(stored: unknown): QueueRow {
  const row = stored as StoredRow;
  return {
    threadId: row.thread_id,
    rowId: row.row_id,
    clientUserMessageId: row.client_id === null ? null : (JSON.parse(row.client_id) as string),
    params: JSON.parse(row.params) as QueueRow["params"],
    notBeforeMs: row.not_before_ms,
    state: row.state,
    turnId: row.turn_id,
    failure: row.failure === null ? null : (JSON.parse(row.failure) as RowFailure),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
