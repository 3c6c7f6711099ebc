/** Pages of a thread's turns. What a page costs depends on its length, not on the thread's. */

import { createTimeSlices, type TimeSlices } from "../../base/time-slices.ts";
import type {
  HookRunSummary,
  SortDirection,
  ThreadItem,
  Turn,
  TurnError,
  TurnItemsView,
} from "../../protocol/generated/types.ts";
import { badCursor, refuse, type StoreRefusal } from "../refusal.ts";
import type { Page, TurnPageOptions } from "../thread-store.ts";
import { readSeqCursor, type SeqPosition, seqCursor } from "./cursor.ts";
import { END, type HistoryReader, type ItemRow, type Span, type TurnRow } from "./history-reader.ts";
import { readSegmentItems } from "./segment-items.ts";

export const DEFAULT_PAGE = 25;

interface Placed {
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
  const stray = from === null ? null : await findStray(reader, from);
  if (stray !== null) return stray;
  const slice = createTimeSlices(reader.now);
  const found = await findTurns(reader, { from, direction, limit }, slice);
  const page = found.slice(0, limit);
  const isWhole = from === null && found.length <= limit;
  const partItems = isWhole && itemsView === "full" ? itemsOfSegments(reader, slice) : itemsOfTurns(reader);
  const data: Turn[] = [];
  for (const placed of page) {
    await slice.pause();
    data.push(await toTurn(reader, placed, itemsView, partItems));
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

/** The turns of a page, and one or two more where there are others. */
async function findTurns(
  reader: Pick<HistoryReader, "spans" | "rows">,
  { from, direction, limit }: TurnRange,
  slice: TimeSlices,
): Promise<Placed[]> {
  const found: Placed[] = [];
  for (const span of direction === "desc" ? reader.spans.toReversed() : reader.spans) {
    if (found.length > limit) break;
    const query = { segmentId: span.segmentId, ...seqRange(span, from, direction), direction };
    // One more than a page shows that there are others, and one of them may count elsewhere.
    const turns = await reader.rows.turns({ ...query, limit: limit + 2 - found.length });
    for (const turn of turns) {
      await slice.pause();
      if ((await findLater(reader, span, turn.turnId)) === null) found.push({ span, turn });
    }
  }
  return found;
}

/** Why the turn that a cursor stands at is no longer in the thread; null when it is. */
async function findStray(
  { spans, rows }: Pick<HistoryReader, "spans" | "rows">,
  { seq }: SeqPosition,
): Promise<StoreRefusal | null> {
  const span = spans.find(({ fromSeq, toSeq }) => seq >= fromSeq && seq < toSeq);
  if (span === undefined) return refuse("cursor", "invalid cursor: position outside thread lineage");
  const here = { segmentId: span.segmentId, fromSeq: seq, toSeq: seq + 1 };
  const [anchor] = await rows.turns({ ...here, direction: "asc", limit: 1 });
  return anchor === undefined ? refuse("cursor", "invalid cursor: anchor turn is no longer present") : null;
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

/** The places of a span that lie on the far side of a cursor. */
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

/** A turn that a fork found unfinished is told again in the fork's own file, and counts there: where it does last. */
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
  { span, turn }: Placed,
  view: TurnItemsView,
  partItems: PartItems = itemsOfTurns(reader),
): Promise<Turn> {
  const isCut = turn.end !== null && turn.end.seq > span.toSeq;
  const isOpen = turn.status === "inProgress" || isCut;
  return {
    id: turn.turnId,
    rootTurnId: turn.rootTurnId,
    items: view === "notLoaded" ? [] : await itemsOf(reader, { span, turn }, view, partItems),
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

/** As they began, which their ids tell; they were written as they ended. */
function inOrder(runs: readonly HookRunSummary[]): HookRunSummary[] {
  return [...runs].sort((one, other) => (one.runId < other.runId ? -1 : 1));
}

/** What is known of a turn whose file has no end of it. */
function openEnding(
  { ended, live }: Pick<HistoryReader, "ended" | "live">,
  { isLast }: Span,
  { turnId }: TurnRow,
): Partial<Pick<Turn, "status" | "error">> {
  const known = ended.find((each) => each.turnId === turnId);
  if (isLast && known?.error != null) return { status: "failed", error: known.error };
  const stillRuns = isLast && live && known === undefined;
  return { status: stillRuns ? "inProgress" : "interrupted" };
}

/** The items that a turn has in one part of the history. */
type PartItems = (
  part: Span,
  turn: TurnRow,
  view: "summary" | "full",
  isOwn: boolean,
) => Promise<readonly ThreadItem[]>;

async function itemsOf(
  { spans }: Pick<HistoryReader, "spans">,
  { span, turn }: Placed,
  view: "summary" | "full",
  partItems: PartItems,
): Promise<ThreadItem[]> {
  const items: ThreadItem[] = [];
  // What an unfinished turn had said before a fork stands in the files before it.
  for (const part of spans.slice(0, spans.indexOf(span) + 1))
    items.push(...(await partItems(part, turn, view, part === span)));
  return view === "full" ? items : summary(items);
}

/** Asked for turn by turn, which costs what the page is long. */
function itemsOfTurns<I extends ItemRow>(reader: HistoryReader<I>): PartItems {
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

/** Read from front to back, for whoever wants all turns. */
function itemsOfSegments<I extends ItemRow>(reader: HistoryReader<I>, slice: TimeSlices): PartItems {
  const segments = new Map<Span, Promise<ReadonlyMap<string, readonly ThreadItem[]>>>();
  return async (part, { turnId }) => {
    const known = segments.get(part) ?? readSegmentItems(reader, part, slice);
    segments.set(part, known);
    return (await known).get(turnId) ?? [];
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
