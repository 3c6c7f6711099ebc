/** Pages of a thread's turns. What a page costs depends on its length, not on the thread's. */

import { createTimeSlices } from "../../base/time-slices.ts";
import type {
  HookRunSummary,
  SortDirection,
  ThreadItem,
  Turn,
  TurnError,
  TurnItemsView,
} from "../../protocol/generated/types.ts";
import { badCursor, type Refusal, refuse } from "../refusal.ts";
import type { Page, TurnPageOptions } from "../thread-store.ts";
import { readSeqCursor, type SeqPosition, seqCursor } from "./cursor.ts";
import { END, type HistoryReader, type ItemRow, type Span, type TurnRow } from "./history-reader.ts";

export const DEFAULT_PAGE = 25;

interface Placed {
  readonly span: Span;
  readonly turn: TurnRow;
}

export async function pageTurns<I extends ItemRow>(
  reader: HistoryReader<I>,
  options: TurnPageOptions,
): Promise<Page<Turn> | Refusal> {
  const { limit = DEFAULT_PAGE, direction = "desc", itemsView = "summary" } = options;
  const from = options.cursor == null ? null : readSeqCursor(options.cursor, "turns", reader.threadId);
  if (options.cursor != null && from === null) return badCursor(options.cursor);
  const stray = from === null ? null : await findStray(reader, from);
  if (stray !== null) return stray;
  const found: Placed[] = [];
  const slice = createTimeSlices(reader.now);
  for (const span of direction === "desc" ? reader.spans.toReversed() : reader.spans) {
    if (found.length > limit) break;
    const query = { segmentId: span.segmentId, ...seqRange(span, from, direction), direction };
    const turns = await reader.rows.turns({ ...query, limit: limit + 1 - found.length });
    for (const turn of turns) {
      await slice.pause();
      if (!(await goesOnLater(reader, span, turn.turnId))) found.push({ span, turn });
    }
  }
  const page = found.slice(0, limit);
  const data: Turn[] = [];
  for (const placed of page) {
    await slice.pause();
    data.push(await toTurn(reader, placed, itemsView));
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

/** Why the turn that a cursor stands at is no longer in the thread; null when it is. */
async function findStray(
  { spans, rows }: Pick<HistoryReader, "spans" | "rows">,
  { seq }: SeqPosition,
): Promise<Refusal | null> {
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

/** A turn that a fork found unfinished is told again in the fork's own file, and counts there. */
async function goesOnLater(
  { spans, rows }: Pick<HistoryReader, "spans" | "rows">,
  span: Span,
  turnId: string,
): Promise<boolean> {
  if (span.isLast) return false;
  for (const later of spans.slice(spans.indexOf(span) + 1)) {
    const turn = await rows.turn(later.segmentId, turnId);
    if (turn !== null && turn.seq < later.toSeq) return true;
  }
  return false;
}

export async function toTurn<I extends ItemRow>(
  reader: HistoryReader<I>,
  { span, turn }: Placed,
  view: TurnItemsView,
): Promise<Turn> {
  const isCut = turn.end !== null && turn.end.seq > span.toSeq;
  const isOpen = turn.status === "inProgress" || isCut;
  return {
    id: turn.turnId,
    rootTurnId: turn.rootTurnId,
    items: view === "notLoaded" ? [] : await itemsOf(reader, { span, turn }, view, isCut),
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

async function itemsOf<I extends ItemRow>(
  reader: HistoryReader<I>,
  { span, turn }: Placed,
  view: "summary" | "full",
  isCut: boolean,
): Promise<ThreadItem[]> {
  const items: ThreadItem[] = [];
  // What an unfinished turn had said before a fork stands in the files before it.
  for (const part of reader.spans.slice(0, reader.spans.indexOf(span) + 1)) {
    const isOwn = part === span;
    if (!isOwn && (await reader.rows.turn(part.segmentId, turn.turnId)) === null) continue;
    const rows =
      view === "summary" && isOwn && !isCut
        ? await namedItems(reader, part, turn)
        : await allItems(reader, part, turn);
    items.push(...(await reader.readItems(part.segmentId, rows)).filter((item) => item !== null));
  }
  return view === "full" ? items : summary(items);
}

async function namedItems<I extends ItemRow>(
  { rows }: HistoryReader<I>,
  span: Span,
  turn: TurnRow,
): Promise<readonly I[]> {
  const ids = [turn.firstUserItemId, turn.finalAgentItemId].filter((id) => id !== null);
  return ids.length === 0 ? [] : rows.itemsById(span.segmentId, turn.turnId, ids);
}

async function allItems<I extends ItemRow>(
  { rows }: HistoryReader<I>,
  span: Span,
  { turnId }: TurnRow,
): Promise<readonly I[]> {
  const { fromSeq, toSeq } = span;
  return rows.items({ segmentId: span.segmentId, fromSeq, toSeq, turnId, direction: "asc", limit: END });
}

function summary(items: readonly ThreadItem[]): ThreadItem[] {
  const first = items.find((item) => item.type === "userMessage");
  const last = items.findLast((item) => item.type === "agentMessage");
  return [first, last].filter((item) => item !== undefined);
}
