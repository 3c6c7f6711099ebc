/** The items of a whole segment, read from its front to its back instead of turn by turn. */
import type { TimeSlices } from "../../base/time-slices.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { END, type HistoryReader, type ItemRow, type Span } from "./history-reader.ts";

/** Between two looks at the clock. */
const ROWS_AT_ONCE = 256;

/** By turn, each in its order. */
export async function readSegmentItems<I extends ItemRow>(
  reader: Pick<HistoryReader<I>, "rows" | "readItems">,
  { segmentId, fromSeq, toSeq }: Span,
  slice: TimeSlices,
): Promise<ReadonlyMap<string, readonly ThreadItem[]>> {
  const byTurn = new Map<string, ThreadItem[]>();
  const query = { segmentId, toSeq, direction: "asc", limit: ROWS_AT_ONCE } as const;
  for (let from = fromSeq; from < END; ) {
    await slice.pause();
    const rows = await reader.rows.items({ ...query, fromSeq: from });
    const items = await reader.readItems(segmentId, rows);
    for (const [at, { turnId }] of rows.entries()) {
      const item = items[at] ?? null;
      if (item === null) continue;
      const known = byTurn.get(turnId);
      if (known === undefined) byTurn.set(turnId, [item]);
      else known.push(item);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) break;
    from = last.seq + 1;
  }
  return byTurn;
}
