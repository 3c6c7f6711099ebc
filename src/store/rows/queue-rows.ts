import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { QueueRow, RowSource } from "../queue.ts";

/** A queued row, as databases have it. */
export interface StoredRow {
  readonly thread_id: string;
  readonly row_id: string;
  readonly client_id: string | null;
  readonly bytes: number;
  readonly not_before_ms: number | null;
  readonly state: QueueRow["state"];
  readonly turn_id: string | null;
  readonly claim_epoch: number | null;
  readonly failure: string | null;
  /** How often it has returned to its place after a crash. */
  readonly crashes: number;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  readonly source: RowSource | null;
}

export interface WholeRow extends StoredRow {
  readonly params: string;
  /** True or 1 if the params were not read. */
  readonly is_outline?: boolean | number;
}

/**
 * Converts a stored row; `params` replaces those of a row that was read without them. Invalid JSON is tolerated: such a
 * row can still be listed, refused when it is started, and removed.
 */
export function toQueueRow(stored: unknown, params?: QueueRow["params"]): QueueRow {
  const row = stored as WholeRow;
  const clientId = parse(row.client_id);
  return {
    threadId: row.thread_id,
    rowId: row.row_id,
    clientUserMessageId: typeof clientId === "string" ? clientId : null,
    params: params ?? toObject(parse(row.params)),
    notBeforeMs: row.not_before_ms,
    state: row.state,
    turnId: row.turn_id,
    failure: row.state === "failed" ? toObject(parse(row.failure)) : null,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    ...(row.source !== null && { source: row.source }),
    ...((row.is_outline === 1 || row.is_outline === true) && { isOutline: true }),
  };
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

const toObject = (value: unknown): JsonObject => (isObject(value) && !Array.isArray(value) ? value : {});
