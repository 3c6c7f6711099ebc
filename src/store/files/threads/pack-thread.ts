/** Packs and unpacks the files of one thread. Their index rows are valid for both forms. */
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
 * The files of an archived thread that can be packed: none that is the base of others or has a base, because other
 * programs do not resolve offsets in packed files.
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

/** Returns the number of saved bytes. The thread must be archived, and the caller holds its lease. */
export async function packThread(context: PackContext, threadId: string): Promise<number> {
  const { index, indexer, clock } = context;
  let saved = 0;
  for (const row of await packableFiles(index, threadId)) {
    // The index of a packed file is not extended later.
    if (row.indexedBytes > 0) await indexer.catchUp(row);
    const { size } = await stat(row.path);
    const packing = await packFile(row.path, () => clock.now());
    if (packing.kind === "left") continue;
    await index.move([await toMove(row, packing.path)]);
    saved += size - packing.bytes;
  }
  return saved;
}

/**
 * The caller holds the lease of the thread. Throws an error with a message for users if the file cannot be unpacked.
 */
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
