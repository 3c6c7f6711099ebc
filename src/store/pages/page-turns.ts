/** Pages of a thread's turns. The cost of a page depends on its length, not on that of the thread. */

import { createTimeSlices, type TimeSlices } from "../../base/time-slices.ts";
import type {
  HookRunSummary,
  SortDirection,
  ThreadItem,
  Turn,
  TurnError,
  TurnItemsView,
} from "../../protocol/generated/types.ts";
import { badCursor, type StoreRefusal, storeRefusal } from "../refusal.ts";
import type { Page, TurnPageOptions } from "../thread-store.ts";
import { readSeqCursor, type SeqPosition, seqCursor } from "./cursor.ts";
import { END, type HistoryReader, type ItemRow, type Span, type TurnRow } from "./history-reader.ts";
import { readSegmentItems } from "./segment-items.ts";

export const DEFAULT_PAGE = 25;

interface SpanTurn {
  readonly span: Span;
  readonly turn: TurnRow;
}

export async function pageTurns<I extends ItemRow>(
  reader: HistoryReader<I>,
  options: TurnPageOptions,
): Promise<Page<Turn> | StoreRefusal> {
  const { limit = DEFAULT_PAGE, direction = "desc", itemsView = "summary" } = options;
  const from = options.cursor == null ? null : readSeqCursor(options.cursor, "turns", reader.threadId);
  if (options.cursor != null && from === null) return badCursor(options.cursor);
  const refusal = from === null ? null : await refuseStaleCursor(reader, from);
  if (refusal !== null) return refusal;
  const slice = createTimeSlices(reader.now);
  const found = await findTurns(reader, { from, direction, limit }, slice);
  const page = found.slice(0, limit);
  const isWhole = from === null && found.length <= limit;
  const readSpanItems =
    isWhole && itemsView === "full" ? itemsOfSegments(reader, slice) : itemsOfTurns(reader);
  const data: Turn[] = [];
  for (const spanTurn of page) {
    await slice.pause();
    data.push(await toTurn(reader, spanTurn, itemsView, readSpanItems));
  }
  return {
    kind: "page",
    data,
    ...cursorsOf(
      reader.threadId,
      "turns",
      page.map(({ turn }) => turn.seq),
      found.length > limit,
    ),
  };
}

interface TurnRange {
  readonly from: SeqPosition | null;
  readonly direction: SortDirection;
  readonly limit: number;
}

/** The turns of a page, plus one or two if there are more. */
async function findTurns(
  reader: Pick<HistoryReader, "spans" | "rows">,
  { from, direction, limit }: TurnRange,
  slice: TimeSlices,
): Promise<SpanTurn[]> {
  const found: SpanTurn[] = [];
  for (const span of direction === "desc" ? reader.spans.toReversed() : reader.spans) {
    if (found.length > limit) break;
    const query = { segmentId: span.segmentId, ...seqRange(span, from, direction), direction };
    // One extra turn shows that there are more, and another one may be superseded by a later segment.
    const turns = await reader.rows.turns({ ...query, limit: limit + 2 - found.length });
    for (const turn of turns) {
      await slice.pause();
      if ((await findLater(reader, span, turn.turnId)) === null) found.push({ span, turn });
    }
  }
  return found;
}

/** The refusal of a cursor whose turn is no longer in the thread; null if it still is. */
async function refuseStaleCursor(
  { spans, rows }: Pick<HistoryReader, "spans" | "rows">,
  { seq }: SeqPosition,
): Promise<StoreRefusal | null> {
  const span = spans.find(({ fromSeq, toSeq }) => seq >= fromSeq && seq < toSeq);
  if (span === undefined) return storeRefusal("cursor", "invalid cursor: position outside thread lineage");
  const here = { segmentId: span.segmentId, fromSeq: seq, toSeq: seq + 1 };
  const [anchor] = await rows.turns({ ...here, direction: "asc", limit: 1 });
  return anchor === undefined
    ? storeRefusal("cursor", "invalid cursor: anchor turn is no longer present")
    : null;
}

/** The cursors on either side of a page. */
export function cursorsOf(
  threadId: string,
  scope: "turns" | "items",
  seqs: readonly number[],
  more: boolean,
): { readonly nextCursor: string | null; readonly backwardsCursor: string | null } {
  const [first] = seqs;
  const last = seqs.at(-1);
  return {
    nextCursor:
      more && last !== undefined ? seqCursor(scope, threadId, { seq: last, inclusive: false }) : null,
    backwardsCursor: first === undefined ? null : seqCursor(scope, threadId, { seq: first, inclusive: true }),
  };
}

/** The part of a span that lies beyond a cursor. */
export function seqRange(
  { fromSeq, toSeq }: Span,
  from: SeqPosition | null,
  direction: SortDirection,
): { readonly fromSeq: number; readonly toSeq: number } {
  if (from === null) return { fromSeq, toSeq };
  const { seq, inclusive } = from;
  return direction === "asc"
    ? { fromSeq: Math.max(fromSeq, inclusive ? seq : seq + 1), toSeq }
    : { fromSeq, toSeq: Math.min(toSeq, inclusive ? seq + 1 : seq) };
}

/** A turn that a fork found unfinished is recorded again in the fork's own file; the last record counts. */
export async function findLater(
  { spans, rows }: Pick<HistoryReader, "spans" | "rows">,
  span: Span,
  turnId: string,
): Promise<TurnRow | null> {
  if (span.isLast) return null;
  for (const later of spans.slice(spans.indexOf(span) + 1).toReversed()) {
    const turn = await rows.turn(later.segmentId, turnId);
    if (turn !== null && turn.seq < later.toSeq) return turn;
  }
  return null;
}

export async function toTurn<I extends ItemRow>(
  reader: HistoryReader<I>,
  { span, turn }: SpanTurn,
  view: TurnItemsView,
  readSpanItems: ReadSpanItems = itemsOfTurns(reader),
): Promise<Turn> {
  const isCut = turn.end !== null && turn.end.seq > span.toSeq;
  const isOpen = turn.status === "inProgress" || isCut;
  return {
    id: turn.turnId,
    rootTurnId: turn.rootTurnId,
    items: view === "notLoaded" ? [] : await itemsOf(reader, { span, turn }, view, readSpanItems),
    itemsView: view,
    status: turn.status,
    error: isCut || turn.error === null ? null : (JSON.parse(turn.error) as TurnError),
    ...(isOpen ? openEnding(reader, span, turn) : {}),
    startedAt: turn.startedAt,
    completedAt: isCut ? null : turn.completedAt,
    durationMs: isCut ? null : turn.durationMs,
    hookRuns: turn.hookRuns === null || isCut ? [] : inOrder(JSON.parse(turn.hookRuns) as HookRunSummary[]),
  };
}

/** Sorted by start, which the ids encode; they were written in the order of their ends. */
function inOrder(runs: readonly HookRunSummary[]): HookRunSummary[] {
  return [...runs].sort((one, other) => (one.runId < other.runId ? -1 : 1));
}

/** The status of a turn whose file has no end of it. */
function openEnding(
  { ended, live }: Pick<HistoryReader, "ended" | "live">,
  { isLast }: Span,
  { turnId }: TurnRow,
): Partial<Pick<Turn, "status" | "error">> {
  const endedTurn = ended.find((each) => each.turnId === turnId);
  if (isLast && endedTurn?.error != null) return { status: "failed", error: endedTurn.error };
  const stillRuns = isLast && live && endedTurn === undefined;
  return { status: stillRuns ? "inProgress" : "interrupted" };
}

/** Reads the items of a turn in one span. */
type ReadSpanItems = (
  part: Span,
  turn: TurnRow,
  view: "summary" | "full",
  isOwn: boolean,
) => Promise<readonly ThreadItem[]>;

async function itemsOf(
  { spans }: Pick<HistoryReader, "spans">,
  { span, turn }: SpanTurn,
  view: "summary" | "full",
  readSpanItems: ReadSpanItems,
): Promise<ThreadItem[]> {
  const items: ThreadItem[] = [];
  // Items of an unfinished turn from before a fork are in the earlier segments.
  for (const part of spans.slice(0, spans.indexOf(span) + 1))
    items.push(...(await readSpanItems(part, turn, view, part === span)));
  return view === "full" ? items : summary(items);
}

/** Reads turn by turn, so that the cost is proportional to the page. */
function itemsOfTurns<I extends ItemRow>(reader: HistoryReader<I>): ReadSpanItems {
  const { rows, readItems } = reader;
  return async (part, turn, view, isOwn) => {
    if (!isOwn && (await rows.turn(part.segmentId, turn.turnId)) === null) return [];
    const isCut = turn.end !== null && turn.end.seq > part.toSeq;
    const found =
      view === "summary" && isOwn && !isCut
        ? await namedItems(rows, part, turn)
        : await allItems(rows, part, turn);
    return (await readItems(part.segmentId, found)).filter((item) => item !== null);
  };
}

/** Reads whole segments sequentially, for a page of all turns. */
function itemsOfSegments<I extends ItemRow>(reader: HistoryReader<I>, slice: TimeSlices): ReadSpanItems {
  const segments = new Map<Span, Promise<ReadonlyMap<string, readonly ThreadItem[]>>>();
  return async (part, { turnId }) => {
    const segmentItems = segments.get(part) ?? readSegmentItems(reader, part, slice);
    segments.set(part, segmentItems);
    return (await segmentItems).get(turnId) ?? [];
  };
}

async function namedItems<I extends ItemRow>(
  rows: HistoryReader<I>["rows"],
  span: Span,
  turn: TurnRow,
): Promise<readonly I[]> {
  const ids = [turn.firstUserItemId, turn.finalAgentItemId].filter((id) => id !== null);
  return ids.length === 0 ? [] : rows.itemsById(span.segmentId, turn.turnId, ids);
}

async function allItems<I extends ItemRow>(
  rows: HistoryReader<I>["rows"],
  { segmentId, fromSeq, toSeq }: Span,
  { turnId }: TurnRow,
): Promise<readonly I[]> {
  return rows.items({ segmentId, fromSeq, toSeq, turnId, direction: "asc", limit: END });
}

function summary(items: readonly ThreadItem[]): ThreadItem[] {
  const first = items.find((item) => item.type === "userMessage");
  const last = items.findLast((item) => item.type === "agentMessage");
  return [first, last].filter((item) => item !== undefined);
}
