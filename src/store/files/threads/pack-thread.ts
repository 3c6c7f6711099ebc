/** The files of one thread packed, and unpacked again. What the index knows of their lines holds for both. */
import { stat } from "node:fs/promises";
import type { Clock } from "../../../base/clock.ts";
import type { HistoryIndex, RolloutMove, RolloutRow } from "../index/history-index.ts";
import type { Indexer } from "../index/indexer.ts";
import { packFile, removeFile, unpackFile } from "../rollout/pack-file.ts";
import { isPacked, plainPath } from "../rollout/rollout-name.ts";

export interface PackContext {
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Those archived files of a thread that can be packed: none that others go on from, or that goes on from another,
 * because a place in a packed file is nothing that other programs look for.
 */
export async function packableFiles(index: HistoryIndex, threadId: string): Promise<RolloutRow[]> {
  const rows = await index.rolloutsOf(threadId);
  const needed = new Set((await index.basedOn(rows.map(({ rolloutId }) => rolloutId))).map(baseOf));
  return rows.filter(
    ({ path, base, rolloutId }) => !isPacked(path) && base === null && !needed.has(rolloutId),
  );
}

function baseOf({ base }: RolloutRow): string | undefined {
  return base?.thread_id;
}

/** How many bytes that has saved. The caller holds the thread, which is archived. */
export async function packThread(context: PackContext, threadId: string): Promise<number> {
  const { index, indexer, clock } = context;
  let saved = 0;
  for (const row of await packableFiles(index, threadId)) {
    // A packed file counts as taken in as far as it was.
    if (row.indexedBytes > 0) await indexer.catchUp(row);
    const { size } = await stat(row.path);
    const packing = await packFile(row.path, () => clock.now());
    if (packing.kind === "left") continue;
    await index.move([await toMove(row, packing.path)]);
    saved += size - packing.bytes;
  }
  return saved;
}

/** The caller holds the thread. Throws in words where it cannot be unpacked. */
export async function unpackInPlace(
  { index, clock }: Pick<PackContext, "index" | "clock">,
  row: RolloutRow,
): Promise<void> {
  const path = plainPath(row.path);
  await unpackFile(row.path, path, () => clock.now());
  await index.move([await toMove(row, path)]);
  await removeFile(row.path);
}

async function toMove({ rolloutId, archived }: RolloutRow, path: string): Promise<RolloutMove> {
  const { size, ino, mtimeMs } = await stat(path);
  return { rolloutId, path, archived, file: { size, inode: ino, mtimeMs } };
}
