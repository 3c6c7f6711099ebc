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
import type { HistoryIndex, ItemRow, TurnRow } from "../history-index.ts";
import { readSeqCursor, type SeqPosition, seqCursor } from "./cursor.ts";
import type { FaultList } from "./fault-list.ts";
import { readItems } from "./read-items.ts";
import { badCursor, type Refusal, refuse } from "./refusal.ts";
import type { Span } from "./spans.ts";

export interface PageOptions {
  readonly cursor?: string | null;
  readonly limit?: number;
  readonly direction?: SortDirection;
}

export interface TurnPageOptions extends PageOptions {
  readonly itemsView?: TurnItemsView;
}

export interface Page<T> {
  readonly kind: "page";
  readonly data: readonly T[];
  readonly nextCursor: string | null;
  readonly backwardsCursor: string | null;
}

export interface PageSource {
  readonly threadId: string;
  readonly spans: readonly Span[];
  readonly index: HistoryIndex;
  readonly faults: FaultList;
  /** Whether somebody is at work on the thread; otherwise a turn without an end was cut off. */
  readonly live: boolean;
  /** Turns that have ended although their file does not say so. */
  readonly ended: readonly EndedTurn[];
  readonly now: () => number;
}

export interface EndedTurn {
  readonly turnId: string;
  /** Null: it was interrupted. */
  readonly error: TurnError | null;
}

export const DEFAULT_PAGE = 25;

interface Placed {
  readonly span: Span;
  readonly turn: TurnRow;
}

export async function pageTurns(source: PageSource, options: TurnPageOptions): Promise<Page<Turn> | Refusal> {
  const { limit = DEFAULT_PAGE, direction = "desc", itemsView = "summary" } = options;
  const from = options.cursor == null ? null : readSeqCursor(options.cursor, "turns", source.threadId);
  if (options.cursor != null && from === null) return badCursor(options.cursor);
  const stray = from === null ? null : await findStray(source, from);
  if (stray !== null) return stray;
  const found: Placed[] = [];
  const slice = createTimeSlices(source.now);
  for (const span of direction === "desc" ? source.spans.toReversed() : source.spans) {
    if (found.length > limit) break;
    const query = { rolloutId: span.row.rolloutId, ...bounds(span, from, direction), direction };
    const turns = await source.index.turns({ ...query, limit: limit + 1 - found.length });
    for (const turn of turns) {
      await slice.pause();
      if (!(await goesOnLater(source, span, turn.turnId))) found.push({ span, turn });
    }
  }
  const page = found.slice(0, limit);
  const data: Turn[] = [];
  for (const placed of page) {
    await slice.pause();
    data.push(await toTurn(source, placed, itemsView));
  }
  return {
    kind: "page",
    data,
    ...cursorsOf(
      source.threadId,
      "turns",
      page.map(({ turn }) => turn.seq),
      found.length > limit,
    ),
  };
}

/** Why the turn that a cursor stands at is no longer in the thread; null when it is. */
async function findStray({ spans, index }: PageSource, { seq }: SeqPosition): Promise<Refusal | null> {
  const span = spans.find(({ fromSeq, toSeq }) => seq >= fromSeq && seq < toSeq);
  if (span === undefined) return refuse("cursor", "invalid cursor: position outside thread lineage");
  const here = { rolloutId: span.row.rolloutId, fromSeq: seq, toSeq: seq + 1 };
  const [anchor] = await index.turns({ ...here, direction: "asc", limit: 1 });
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
export function bounds(
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
async function goesOnLater({ spans, index }: PageSource, span: Span, turnId: string): Promise<boolean> {
  if (span.isLast) return false;
  for (const later of spans.slice(spans.indexOf(span) + 1)) {
    const turn = await index.turn(later.row.rolloutId, turnId);
    if (turn !== null && turn.seq < later.toSeq) return true;
  }
  return false;
}

export async function toTurn(source: PageSource, { span, turn }: Placed, view: TurnItemsView): Promise<Turn> {
  const isCut = turn.end !== null && turn.end.seq > span.toSeq;
  const isOpen = turn.status === "inProgress" || isCut;
  return {
    id: turn.turnId,
    rootTurnId: turn.rootTurnId,
    items: view === "notLoaded" ? [] : await itemsOf(source, { span, turn }, view, isCut),
    itemsView: view,
    status: turn.status,
    error: isCut || turn.error === null ? null : (JSON.parse(turn.error) as TurnError),
    ...(isOpen ? openEnding(source, span, turn) : {}),
    startedAt: turn.startedAt,
    completedAt: isCut ? null : turn.completedAt,
    durationMs: isCut ? null : turn.durationMs,
    hookRuns: turn.hookRuns === null || isCut ? [] : (JSON.parse(turn.hookRuns) as HookRunSummary[]),
  };
}

/** What is known of a turn whose file has no end of it. */
function openEnding(
  { ended, live }: PageSource,
  { isLast }: Span,
  { turnId }: TurnRow,
): Partial<Pick<Turn, "status" | "error">> {
  const known = ended.find((each) => each.turnId === turnId);
  if (isLast && known?.error != null) return { status: "failed", error: known.error };
  const stillRuns = isLast && live && known === undefined;
  return { status: stillRuns ? "inProgress" : "interrupted" };
}

async function itemsOf(
  source: PageSource,
  { span, turn }: Placed,
  view: "summary" | "full",
  isCut: boolean,
): Promise<ThreadItem[]> {
  const items: ThreadItem[] = [];
  // What an unfinished turn had said before a fork stands in the files before it.
  for (const part of source.spans.slice(0, source.spans.indexOf(span) + 1)) {
    const isOwn = part === span;
    if (!isOwn && (await source.index.turn(part.row.rolloutId, turn.turnId)) === null) continue;
    const rows =
      view === "summary" && isOwn && !isCut
        ? await namedItems(source, part, turn)
        : await allItems(source, part, turn);
    items.push(...readItems(part.row, rows, source.faults).filter((item) => item !== null));
  }
  return view === "full" ? items : summary(items);
}

async function namedItems({ index }: PageSource, span: Span, turn: TurnRow): Promise<readonly ItemRow[]> {
  const ids = [turn.firstUserItemId, turn.finalAgentItemId].filter((id) => id !== null);
  return ids.length === 0 ? [] : index.itemsById(span.row.rolloutId, turn.turnId, ids);
}

async function allItems({ index }: PageSource, span: Span, { turnId }: TurnRow): Promise<readonly ItemRow[]> {
  const { fromSeq, toSeq } = span;
  const limit = Number.MAX_SAFE_INTEGER;
  return index.items({ rolloutId: span.row.rolloutId, fromSeq, toSeq, turnId, direction: "asc", limit });
}

function summary(items: readonly ThreadItem[]): ThreadItem[] {
  const first = items.find((item) => item.type === "userMessage");
  const last = items.findLast((item) => item.type === "agentMessage");
  return [first, last].filter((item) => item !== undefined);
}
