/** Pages of a thread's items, and items by their ids. */
import type { ThreadItemEntry } from "../../protocol/generated/types.ts";
import type { ItemRow } from "../history-index.ts";
import { readSeqCursor, type SeqPosition } from "./cursor.ts";
import {
  bounds,
  cursorsOf,
  DEFAULT_PAGE,
  type Page,
  type PageOptions,
  type PageSource,
} from "./page-turns.ts";
import { readItems } from "./read-items.ts";
import { badCursor, type Refusal, refuse } from "./refusal.ts";
import type { Span } from "./spans.ts";

export interface ItemPageOptions extends PageOptions {
  readonly turnId?: string | null;
  /** Begins behind this item instead of at a cursor; it must be of the turn, if there is one. */
  readonly anchorItemId?: string | null;
}

interface Placed {
  readonly span: Span;
  readonly item: ItemRow;
}

export async function pageItems(
  source: PageSource,
  options: ItemPageOptions,
): Promise<Page<ThreadItemEntry> | Refusal> {
  const { limit = DEFAULT_PAGE, direction = "asc", turnId = null } = options;
  const start = await startOf(source, options);
  if (start !== null && "kind" in start) return start;
  const found: Placed[] = [];
  for (const span of direction === "desc" ? source.spans.toReversed() : source.spans) {
    if (found.length > limit) break;
    const query = { rolloutId: span.row.rolloutId, ...bounds(span, start, direction), direction, turnId };
    const items = await source.index.items({ ...query, limit: limit + 1 - found.length });
    found.push(...items.map((item) => ({ span, item })));
  }
  const page = found.slice(0, limit);
  const seqs = page.map(({ item }) => item.seq);
  return {
    kind: "page",
    data: entriesOf(source, page),
    ...cursorsOf(source.threadId, "items", seqs, found.length > limit),
  };
}

export async function itemsById(
  source: PageSource,
  turnId: string,
  itemIds: readonly string[],
): Promise<readonly ThreadItemEntry[]> {
  const found: Placed[] = [];
  for (const span of source.spans) {
    const items = await source.index.itemsById(span.row.rolloutId, turnId, itemIds);
    const inside = items.filter(({ seq }) => seq >= span.fromSeq && seq < span.toSeq);
    found.push(...inside.map((item) => ({ span, item })));
  }
  return entriesOf(source, found);
}

async function startOf(source: PageSource, options: ItemPageOptions): Promise<SeqPosition | null | Refusal> {
  const { cursor, anchorItemId, turnId = null } = options;
  if (cursor != null) return readSeqCursor(cursor, "items", source.threadId) ?? badCursor(cursor);
  if (anchorItemId == null) return null;
  for (const span of source.spans) {
    const { fromSeq, toSeq } = span;
    const query = {
      rolloutId: span.row.rolloutId,
      fromSeq,
      toSeq,
      direction: "asc",
      itemId: anchorItemId,
      turnId,
    } as const;
    const [item] = await source.index.items({ ...query, limit: 1 });
    if (item !== undefined) return { seq: item.seq, inclusive: false };
  }
  return refuse("input", `item ${anchorItemId} not found in thread ${source.threadId}`);
}

/** Neighbours from one file are read together. */
function entriesOf(source: PageSource, placed: readonly Placed[]): ThreadItemEntry[] {
  const entries: ThreadItemEntry[] = [];
  for (let at = 0; at < placed.length; ) {
    const span = placed[at]?.span;
    const run: ItemRow[] = [];
    while (at < placed.length && placed[at]?.span === span)
      run.push(...placed.slice(at, ++at).map(({ item }) => item));
    if (span === undefined) break;
    const items = readItems(span.row, run, source.faults);
    for (const [position, row] of run.entries()) {
      const item = items[position] ?? null;
      const { turnId, startedAtMs, completedAtMs } = row;
      if (item !== null) entries.push({ turnId, item, startedAtMs, completedAtMs });
    }
  }
  return entries;
}
