/** Reads the items of a whole segment sequentially instead of turn by turn. */
import type { TimeSlices } from "../../base/time-slices.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { END, type HistoryReader, type ItemRow, type Span } from "./history-reader.ts";

/** Rows per batch; the time slice is checked between batches. */
const BATCH_ROWS = 256;

/** Grouped by turn, in order. */
export async function readSegmentItems<I extends ItemRow>(
  reader: Pick<HistoryReader<I>, "rows" | "readItems">,
  { segmentId, fromSeq, toSeq }: Span,
  slice: TimeSlices,
): Promise<ReadonlyMap<string, readonly ThreadItem[]>> {
  const byTurn = new Map<string, ThreadItem[]>();
  const query = { segmentId, toSeq, direction: "asc", limit: BATCH_ROWS } as const;
  for (let from = fromSeq; from < END; ) {
    await slice.pause();
    const rows = await reader.rows.items({ ...query, fromSeq: from });
    const items = await reader.readItems(segmentId, rows);
    for (const [at, { turnId }] of rows.entries()) {
      const item = items[at] ?? null;
      if (item === null) continue;
      const turnItems = byTurn.get(turnId);
      if (turnItems === undefined) byTurn.set(turnId, [item]);
      else turnItems.push(item);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_ROWS) break;
    from = last.seq + 1;
  }
  return byTurn;
}
