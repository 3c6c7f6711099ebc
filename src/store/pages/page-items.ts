/** Pages of a thread's items, and items by their ids. */
import type { ThreadItemEntry } from "../../protocol/generated/types.ts";
import { badCursor, type StoreRefusal, storeRefusal } from "../refusal.ts";
import type { ItemPageOptions, Page } from "../thread-store.ts";
import { readSeqCursor, type SeqPosition } from "./cursor.ts";
import type { HistoryReader, ItemRow, Span } from "./history-reader.ts";
import { cursorsOf, DEFAULT_PAGE, seqRange } from "./page-turns.ts";

interface SpanItem<I> {
  readonly span: Span;
  readonly item: I;
}

export async function pageItems<I extends ItemRow>(
  reader: HistoryReader<I>,
  options: ItemPageOptions,
): Promise<Page<ThreadItemEntry> | StoreRefusal> {
  const { limit = DEFAULT_PAGE, direction = "asc", turnId = null } = options;
  const start = await startOf(reader, options);
  if (start !== null && "kind" in start) return start;
  const found: SpanItem<I>[] = [];
  for (const span of direction === "desc" ? reader.spans.toReversed() : reader.spans) {
    if (found.length > limit) break;
    const query = { segmentId: span.segmentId, ...seqRange(span, start, direction), direction, turnId };
    const items = await reader.rows.items({ ...query, limit: limit + 1 - found.length });
    found.push(...items.map((item) => ({ span, item })));
  }
  const page = found.slice(0, limit);
  const seqs = page.map(({ item }) => item.seq);
  return {
    kind: "page",
    data: await entriesOf(reader, page),
    ...cursorsOf(reader.threadId, "items", seqs, found.length > limit),
  };
}

export async function itemsById<I extends ItemRow>(
  reader: HistoryReader<I>,
  turnId: string,
  itemIds: readonly string[],
): Promise<readonly ThreadItemEntry[]> {
  const found: SpanItem<I>[] = [];
  for (const span of reader.spans) {
    const items = await reader.rows.itemsById(span.segmentId, turnId, itemIds);
    const inside = items.filter(({ seq }) => seq >= span.fromSeq && seq < span.toSeq);
    found.push(...inside.map((item) => ({ span, item })));
  }
  return entriesOf(reader, found);
}

async function startOf(
  reader: Pick<HistoryReader, "threadId" | "spans" | "rows">,
  options: ItemPageOptions,
): Promise<SeqPosition | null | StoreRefusal> {
  const { cursor, anchorItemId, turnId = null } = options;
  if (cursor != null) return readSeqCursor(cursor, "items", reader.threadId) ?? badCursor(cursor);
  if (anchorItemId == null) return null;
  for (const span of reader.spans) {
    const { fromSeq, toSeq } = span;
    const query = {
      segmentId: span.segmentId,
      fromSeq,
      toSeq,
      direction: "asc",
      itemId: anchorItemId,
      turnId,
    } as const;
    const [item] = await reader.rows.items({ ...query, limit: 1 });
    if (item !== undefined) return { seq: item.seq, inclusive: false };
  }
  return storeRefusal("input", `item ${anchorItemId} not found in thread ${reader.threadId}`);
}

/** Adjacent items of one segment are read in one batch. */
async function entriesOf<I extends ItemRow>(
  reader: HistoryReader<I>,
  spanItems: readonly SpanItem<I>[],
): Promise<ThreadItemEntry[]> {
  const entries: ThreadItemEntry[] = [];
  for (let at = 0; at < spanItems.length; ) {
    const span = spanItems[at]?.span;
    const run: I[] = [];
    while (at < spanItems.length && spanItems[at]?.span === span)
      run.push(...spanItems.slice(at, ++at).map(({ item }) => item));
    if (span === undefined) break;
    const items = await reader.readItems(span.segmentId, run);
    for (const [position, row] of run.entries()) {
      const item = items[position] ?? null;
      const { turnId, startedAtMs, completedAtMs } = row;
      if (item !== null) entries.push({ turnId, item, startedAtMs, completedAtMs });
    }
  }
  return entries;
}
