/** Archives, unarchives and deletes all files of a thread and its descendants. */
import { existsSync } from "node:fs";
import { mkdir, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { osErrorText } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import type { Fence, Leases } from "../../leases.ts";
import { activeWriter, missingThread, type StoreRefusal, storeRefusal } from "../../refusal.ts";
import type { MoveOutcome } from "../../thread-store.ts";
import type { HistoryIndex, RolloutMove, RolloutRow } from "../index/history-index.ts";
import type { Indexer } from "../index/indexer.ts";
import type { SessionIndex } from "../index/session-index.ts";
import { removeFile, unpackFile } from "../rollout/pack-file.ts";
import {
  archivedFolder,
  isPacked,
  packedPath,
  parseRolloutName,
  plainPath,
  sessionsFolder,
} from "../rollout/rollout-name.ts";

export interface MoveContext {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly names: SessionIndex;
  readonly clock: Clock;
  readonly log: Logger;
  readonly leases: Pick<Leases, "isHeld" | "acquire" | "release">;
}

export async function archiveThread(context: MoveContext, threadId: string): Promise<MoveOutcome> {
  const row = await context.indexer.currentRow(threadId);
  if (row === null || row.archived) return missingThread(threadId);
  return withDescendants(context, threadId, (id) => moveOne(context, id, { archived: true }));
}

export async function unarchiveThread(context: MoveContext, threadId: string): Promise<MoveOutcome> {
  const row = await context.indexer.currentRow(threadId);
  if (row === null || !row.archived) {
    return storeRefusal("notArchived", `no archived rollout found for thread id ${threadId}`);
  }
  const refused = await moveOne(context, threadId, { archived: false });
  return refused ?? { kind: "done", threadIds: [threadId] };
}

/** The index must contain every file of the home: an unknown fork would lose its base. */
export async function deleteThread(context: MoveContext, threadId: string): Promise<MoveOutcome> {
  const { index, indexer } = context;
  if ((await indexer.currentRow(threadId)) === null) return missingThread(threadId);
  const threadIds = [...new Set([threadId, ...(await index.descendants(threadId))])];
  return withLeases(context, threadIds, () => deleteFiles(context, threadIds));
}

/** Deletes a thread and its descendants. The caller holds their leases. */
export async function deleteFiles(context: MoveContext, threadIds: readonly string[]): Promise<MoveOutcome> {
  const { index } = context;
  const rows: RolloutRow[] = [];
  for (const id of threadIds) rows.push(...(await index.rolloutsOf(id)));
  const ids = new Set(rows.map(({ rolloutId }) => rolloutId));
  const needed = (await index.basedOn([...ids])).some(({ rolloutId }) => !ids.has(rolloutId));
  if (needed) {
    const [threadId] = threadIds;
    return storeRefusal("referenced", `cannot delete thread ${threadId}: forked history still references it`);
  }
  return removeAll(context, threadIds, rows);
}

/** Descendants are deleted first: after a crash, they can still be found through their ancestor. */
async function removeAll(
  { home, index, names }: MoveContext,
  threadIds: readonly string[],
  rows: readonly RolloutRow[],
): Promise<MoveOutcome> {
  for (const row of rows.toReversed()) {
    try {
      for (const path of pathsOf(home, row)) await rm(path, { force: true });
    } catch (error) {
      return storeRefusal("disk", `failed to delete rollout file \`${row.path}\`: ${osErrorText(error)}`);
    }
  }
  await index.remove(rows.map(({ rolloutId }) => rolloutId));
  for (const id of threadIds) {
    await names.forget(id);
    await index.forgetThread(id);
  }
  return { kind: "done", threadIds };
}

/** All paths at which a crash during a move or packing may have left a copy, which would restore the thread. */
function pathsOf(home: string, row: RolloutRow): Set<string> {
  const plain = plainPath(row.path);
  const others = [true, false].map((archived) => join(targetFolder(home, row, archived), basename(plain)));
  return new Set([plain, ...others].flatMap((path) => [path, packedPath(path)]));
}

async function withDescendants(
  { index, log, leases }: MoveContext,
  threadId: string,
  act: (id: string) => Promise<StoreRefusal | null>,
): Promise<MoveOutcome> {
  const descendants = (await index.descendants(threadId)).filter((id) => id !== threadId);
  for (const id of [threadId, ...descendants]) if (await leases.isHeld(id)) return activeWriter(id);
  const refused = await act(threadId);
  if (refused !== null) return refused;
  const done = [threadId];
  for (const id of descendants) {
    const failed = await act(id);
    if (failed === null) done.push(id);
    else log.warn("a spawned thread could not be moved along", { threadId: id, reason: failed.message });
  }
  return { kind: "done", threadIds: done };
}

/** Runs the work under the leases of the threads; refused if one of them has a writer. */
export async function withLeases<T>(
  { leases }: Pick<MoveContext, "leases">,
  threadIds: readonly string[],
  work: () => Promise<T | StoreRefusal>,
): Promise<T | StoreRefusal> {
  const fences: Fence[] = [];
  try {
    for (const id of threadIds) {
      // A lease that this process already holds must not be acquired again.
      const lease = (await leases.isHeld(id)) ? null : await leases.acquire(id, "ifFree");
      if (lease?.kind !== "held") return activeWriter(id);
      fences.push(lease.fence);
    }
    return await work();
  } finally {
    for (const fence of fences) await leases.release(fence);
  }
}

function moveOne(
  context: MoveContext,
  threadId: string,
  where: { readonly archived: boolean },
): Promise<StoreRefusal | null> {
  return withLeases(context, [threadId], () => moveFiles(context, threadId, where));
}

interface Move {
  readonly row: RolloutRow;
  readonly to: string;
  /** Whether the file is unpacked, as for every unarchived one. */
  readonly unpacks: boolean;
}

/** Moves all files or none: on a failure, moved files are moved back. The caller holds the lease of the thread. */
export async function moveFiles(
  { home, index, clock }: MoveContext,
  threadId: string,
  { archived }: { readonly archived: boolean },
): Promise<StoreRefusal | null> {
  const rows = (await index.rolloutsOf(threadId)).filter((row) => row.archived !== archived);
  const moves = rows.map((row): Move => {
    const unpacks = !archived && isPacked(row.path);
    const name = basename(unpacks ? plainPath(row.path) : row.path);
    return { row, to: join(targetFolder(home, row, archived), name), unpacks };
  });
  const done: Move[] = [];
  try {
    for (const move of moves) {
      // Unpacking keeps a file that is already there, which then is not ours to remove.
      const isUndoable = !move.unpacks || !existsSync(move.to);
      await moveFile(move, clock);
      if (isUndoable) done.push(move);
    }
  } catch (error) {
    for (const { row, to, unpacks } of done) await (unpacks ? rm(to) : rename(to, row.path));
    return storeRefusal(
      "disk",
      `failed to ${archived ? "archive" : "unarchive"} thread: ${osErrorText(error)}`,
    );
  }
  const now = clock.now();
  if (!archived) for (const { to } of moves) await utimes(to, now / 1000, now / 1000);
  const touched = archived ? {} : { updatedAtMs: now };
  const moved: RolloutMove[] = [];
  for (const { row, to, unpacks } of moves) {
    const file = unpacks ? { file: await stampOf(to) } : {};
    moved.push({ rolloutId: row.rolloutId, path: to, archived, ...touched, ...file });
  }
  await index.move(moved);
  for (const { row, unpacks } of moves) if (unpacks) await removeFile(row.path);
  return null;
}

async function moveFile({ row, to, unpacks }: Move, clock: Clock): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  if (unpacks) await unpackFile(row.path, to, () => clock.now());
  else await rename(row.path, to);
}

async function stampOf(path: string): Promise<Pick<RolloutRow, "size" | "inode" | "mtimeMs">> {
  const { size, ino, mtimeMs } = await stat(path);
  return { size, inode: ino, mtimeMs };
}

function targetFolder(home: string, { path }: RolloutRow, archived: boolean): string {
  if (archived) return archivedFolder(home);
  const day = parseRolloutName(basename(path))?.time.slice(0, 10) ?? "";
  return join(sessionsFolder(home), ...day.split("-"));
}
