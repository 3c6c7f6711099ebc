/** Files that the index knows, looked at again: other programs write to them, replace and remove them. */
import type { Clock } from "../../base/clock.ts";
import { createTimeSlices } from "../../base/time-slices.ts";
import type { HistoryIndex, RolloutRow, Sighting } from "../history-index.ts";
import type { Indexer } from "./indexer.ts";
import { statusOf } from "./status-of.ts";

export interface RecheckOptions {
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly clock: Clock;
}

/** What the index had wrong. */
export type Recheck = "nothing" | "changed" | "gone";

export async function recheckRows(
  { index, indexer, onGone }: RecheckOptions & { readonly onGone: (path: string) => void },
  rows: readonly RolloutRow[],
): Promise<Recheck> {
  const changed = rows.filter(isOther);
  let outcome: Recheck = changed.length > 0 ? "changed" : "nothing";
  for (const row of changed) {
    if (statusOf(row.path) !== null)
      await (row.indexedBytes > 0 ? indexer.catchUp(row) : indexer.refresh(row));
    else {
      await index.remove([row.rolloutId]);
      onGone(row.path);
      outcome = "gone";
    }
  }
  return outcome;
}

export async function catchUpWith(
  { index, indexer, clock }: RecheckOptions,
  known: readonly Sighting[],
  isClosed: () => boolean,
): Promise<void> {
  const slice = createTimeSlices(() => clock.now());
  for (const sighting of known) {
    if (isClosed()) return;
    if (isOther(sighting)) {
      const row = await index.rollout(sighting.rolloutId);
      if (row !== null && row.indexedBytes > 0) await indexer.catchUp(row);
      else await indexer.refresh(sighting);
    }
    await slice.pause();
  }
}

/** Whether a file is not what was seen of it. */
function isOther({
  path,
  size,
  inode,
  mtimeMs,
}: Pick<Sighting, "path" | "size" | "inode" | "mtimeMs">): boolean {
  const status = statusOf(path);
  return status === null || status.size !== size || status.ino !== inode || status.mtimeMs < mtimeMs - 1;
}
