/**
 * The read port for pages of a thread, independent of the backend: rows about turns and items, ordered by the positions
 * of their lines, and the spans that the thread's history consists of.
 */
import type { ThreadItem, TurnError, TurnStatus } from "../../protocol/generated/types.ts";

/**
 * A part of a history; spans are ordered oldest first. A fork or a revert shares its earlier spans with other threads.
 */
export interface Span {
  readonly segmentId: string;
  /** The position of the first line after the segment's session line. */
  readonly fromSeq: number;
  /** The end of the span, exclusive; `END` for the newest one. */
  readonly toSeq: number;
  readonly isLast: boolean;
}

export interface TurnRow {
  readonly turnId: string;
  /** The position of its first line. */
  readonly seq: number;
  /** The position after its last line; null while the turn has no end. */
  readonly end: { readonly seq: number } | null;
  readonly status: TurnStatus;
  readonly rootTurnId: string | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly durationMs: number | null;
  /** JSON in wire form. */
  readonly error: string | null;
  readonly hookRuns: string | null;
  readonly firstUserItemId: string | null;
  readonly finalAgentItemId: string | null;
}

export interface ItemRow {
  readonly turnId: string;
  readonly itemId: string;
  readonly type: string;
  /** The position of the item's first line, which orders items. */
  readonly seq: number;
  readonly startedAtMs: number | null;
  readonly completedAtMs: number | null;
}

export type Direction = "asc" | "desc";

export interface SpanQuery {
  readonly segmentId: string;
  /** Inclusive; `toSeq` is exclusive. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly direction: Direction;
  readonly limit: number;
}

export interface ItemQuery extends SpanQuery {
  readonly turnId?: string | null;
  readonly itemId?: string;
  readonly types?: readonly string[];
}

export interface RowReader<I extends ItemRow = ItemRow> {
  turns(query: SpanQuery): Promise<readonly TurnRow[]>;
  turn(segmentId: string, turnId: string): Promise<TurnRow | null>;
  items(query: ItemQuery): Promise<readonly I[]>;
  itemsById(segmentId: string, turnId: string, itemIds: readonly string[]): Promise<readonly I[]>;
}

export interface HistoryReader<I extends ItemRow = ItemRow> {
  readonly threadId: string;
  readonly spans: readonly Span[];
  readonly rows: RowReader<I>;
  /** Reads items of one segment in the order of the rows; null for those that can no longer be read. */
  readonly readItems: (segmentId: string, rows: readonly I[]) => Promise<readonly (ThreadItem | null)[]>;
  /** Whether a process writes to the thread; otherwise a turn without an end was cut off. */
  readonly live: boolean;
  /** Turns that have ended although no line records it. */
  readonly ended: readonly UnrecordedEnd[];
  readonly now: () => number;
}

export interface UnrecordedEnd {
  readonly turnId: string;
  /** Null for an interrupted turn. */
  readonly error: TurnError | null;
}

/** Greater than every position. */
export const END = Number.MAX_SAFE_INTEGER;

/** The last turn of a history if it has no end there. */
export async function unfinishedTurn(rows: RowReader, spans: readonly Span[]): Promise<TurnRow | null> {
  for (const { segmentId, fromSeq, toSeq } of spans.toReversed()) {
    const [last] = await rows.turns({ segmentId, fromSeq, toSeq, direction: "desc", limit: 1 });
    if (last === undefined) continue;
    const isOpen = last.status === "inProgress" || (last.end !== null && last.end.seq > toSeq);
    return isOpen ? last : null;
  }
  return null;
}
