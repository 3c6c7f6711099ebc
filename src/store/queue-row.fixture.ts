import type { NewRow, QueueLimits, QueueRow, RowPage } from "./queue.ts";

/** Larger than any test needs. */
export const ROOMY: QueueLimits = { maxRows: 1e6, maxRowBytes: 1e9, maxBytes: 1e9 };

export const WHOLE: RowPage = { offset: 0, limit: 1e6, maxBytes: 1e9, atLeast: 1 };

export const textParams = (text: string) => ({ input: [{ type: "text", text }] });

/** A row whose text is its id. */
export function newRow(rowId: string, members: Partial<NewRow> = {}): NewRow {
  return { rowId, clientUserMessageId: null, params: textParams(rowId), notBeforeMs: null, ...members };
}

/** The same row as pending. */
export function queueRow(rowId: string, members: Partial<QueueRow> = {}): QueueRow {
  const waits = { state: "pending", turnId: null, failure: null, createdAtMs: 0, updatedAtMs: 0 } as const;
  return { threadId: "thread", ...newRow(rowId), ...waits, ...members };
}
