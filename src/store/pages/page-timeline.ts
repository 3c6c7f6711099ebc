/** A thread as one timeline: starts and ends of turns, and the items between, each at the position of its line. */
import type { ThreadTimelineEntry } from "../../protocol/generated/types.ts";
import { badCursor, type StoreRefusal } from "../refusal.ts";
import type { TimelineOptions, TimelinePage } from "../thread-store.ts";
import { readSeqCursor, seqCursor } from "./cursor.ts";
import type { HistoryReader, ItemRow, Span, TurnRow } from "./history-reader.ts";
import { DEFAULT_PAGE, toTurn } from "./page-turns.ts";

/** The first page is the latest one; entries within a page are in line order. */
export async function pageTimeline<I extends ItemRow>(
  reader: HistoryReader<I>,
  { cursor = null, limit = DEFAULT_PAGE }: TimelineOptions,
): Promise<TimelinePage | StoreRefusal> {
  const from = cursor === null ? null : readSeqCursor(cursor, "timeline", reader.threadId);
  if (cursor !== null && from === null) return badCursor(cursor);
  const found: ThreadTimelineEntry[] = [];
  for (const span of reader.spans.toReversed()) {
    if (found.length > limit) break;
    const toSeq = Math.min(span.toSeq, from?.seq ?? span.toSeq);
    if (span.fromSeq < toSeq)
      found.unshift(...(await entriesBefore(reader, span, { toSeq, limit: limit + 1 - found.length })));
  }
  const data = found.slice(-limit);
  const [first] = data;
  const isMore = found.length > limit && first !== undefined;
  const position = isMore ? { seq: first.position, inclusive: false } : null;
  return {
    kind: "page",
    data,
    nextCursor: position === null ? null : seqCursor("timeline", reader.threadId, position),
  };
}

interface Window {
  readonly toSeq: number;
  readonly limit: number;
}

async function entriesBefore<I extends ItemRow>(
  reader: HistoryReader<I>,
  span: Span,
  window: Window,
): Promise<ThreadTimelineEntry[]> {
  const { toSeq, limit } = window;
  const { segmentId, fromSeq } = span;
  const query = { segmentId, fromSeq, toSeq, direction: "desc", limit } as const;
  const turns = await reader.rows.turns(query);
  const rows = await reader.rows.items(query);
  const items = await reader.readItems(span.segmentId, rows);
  const entries: ThreadTimelineEntry[] = [];
  for (const [at, { seq, turnId }] of rows.entries()) {
    const item = items[at] ?? null;
    if (item !== null) entries.push({ type: "item", position: seq, turnId, item });
  }
  for (const turn of turns) entries.push(...(await turnBoundaries(reader, span, turn)));
  return entries
    .filter(({ position }) => position < toSeq)
    .sort((one, other) => one.position - other.position)
    .slice(-limit);
}

async function turnBoundaries<I extends ItemRow>(
  reader: HistoryReader<I>,
  span: Span,
  turn: TurnRow,
): Promise<ThreadTimelineEntry[]> {
  const { id: turnId, status, error, ...times } = await toTurn(reader, { span, turn }, "notLoaded");
  const { startedAt, completedAt, durationMs } = times;
  const start = { type: "turnStarted", position: turn.seq, turnId, startedAt } as const;
  if (turn.end === null) return [start];
  const position = turn.end.seq - 1;
  return [
    start,
    { type: "turnCompleted", position, turnId, status, error, startedAt, completedAt, durationMs },
  ];
}
