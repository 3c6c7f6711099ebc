/** Archiving, its undoing, and deletion: what happens to all files of a thread, and of those that it has spawned. */
import { mkdir, rename, rm, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { osErrorText } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import { activeWriter, missingThread, type Refusal, refuse } from "../../refusal.ts";
import type { MoveOutcome } from "../../thread-store.ts";
import type { HistoryIndex, RolloutRow } from "../index/history-index.ts";
import type { Indexer } from "../index/indexer.ts";
import type { SessionIndex } from "../index/session-index.ts";
import { archivedFolder, parseRolloutName, sessionsFolder } from "../rollout/rollout-name.ts";

export interface MoveContext {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly names: SessionIndex;
  readonly clock: Clock;
  readonly log: Logger;
  readonly isHeld: (threadId: string) => Promise<boolean>;
}

export async function archiveThread(context: MoveContext, threadId: string): Promise<MoveOutcome> {
  const row = await context.indexer.currentRow(threadId);
  if (row === null || row.archived) return missingThread(threadId);
  return withDescendants(context, threadId, (id) => moveOne(context, id, { archived: true }));
}

export async function unarchiveThread(context: MoveContext, threadId: string): Promise<MoveOutcome> {
  const row = await context.indexer.currentRow(threadId);
  if (row === null || !row.archived) {
    return refuse("notArchived", `no archived rollout found for thread id ${threadId}`);
  }
  const refused = await moveOne(context, threadId, { archived: false });
  return refused ?? { kind: "done", threadIds: [threadId] };
}

/** The caller has every file of the home in the index: a fork that it does not know would lose its beginning. */
export async function deleteThread(context: MoveContext, threadId: string): Promise<MoveOutcome> {
  const { index, indexer } = context;
  if ((await indexer.currentRow(threadId)) === null) return missingThread(threadId);
  const threadIds = [threadId, ...(await index.descendants(threadId))];
  const rows: RolloutRow[] = [];
  for (const id of threadIds) {
    if (await context.isHeld(id)) return activeWriter(id);
    rows.push(...(await index.rolloutsOf(id)));
  }
  const ids = rows.map(({ rolloutId }) => rolloutId);
  const needed = (await index.basedOn(ids)).some(({ rolloutId }) => !ids.includes(rolloutId));
  if (needed) {
    return refuse("referenced", `cannot delete thread ${threadId}: forked history still references it`);
  }
  return await removeAll(context, threadIds, rows);
}

async function removeAll(
  { index, names }: MoveContext,
  threadIds: readonly string[],
  rows: readonly RolloutRow[],
): Promise<MoveOutcome> {
  for (const { path } of rows) {
    try {
      await rm(path, { force: true });
    } catch (error) {
      return refuse("disk", `failed to delete rollout file \`${path}\`: ${osErrorText(error)}`);
    }
  }
  await index.remove(rows.map(({ rolloutId }) => rolloutId));
  for (const id of threadIds) {
    await names.forget(id);
    await index.forgetThread(id);
  }
  return { kind: "done", threadIds };
}

async function withDescendants(
  { index, log, isHeld }: MoveContext,
  threadId: string,
  act: (id: string) => Promise<Refusal | null>,
): Promise<MoveOutcome> {
  const descendants = await index.descendants(threadId);
  for (const id of [threadId, ...descendants]) if (await isHeld(id)) return activeWriter(id);
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

/** All files or none: those that have been moved go back when one cannot be. */
async function moveOne(
  { home, index, clock, isHeld }: MoveContext,
  threadId: string,
  { archived }: { readonly archived: boolean },
): Promise<Refusal | null> {
  if (await isHeld(threadId)) return activeWriter(threadId);
  const rows = (await index.rolloutsOf(threadId)).filter((row) => row.archived !== archived);
  const moves = rows.map((row) => ({ row, to: join(targetFolder(home, row, archived), basename(row.path)) }));
  const done: typeof moves = [];
  try {
    for (const move of moves) {
      await mkdir(dirname(move.to), { recursive: true });
      await rename(move.row.path, move.to);
      done.push(move);
    }
  } catch (error) {
    for (const { row, to } of done) await rename(to, row.path);
    return refuse("disk", `failed to ${archived ? "archive" : "unarchive"} thread: ${osErrorText(error)}`);
  }
  const now = clock.now();
  if (!archived) for (const { to } of moves) await utimes(to, now / 1000, now / 1000);
  const touched = archived ? {} : { updatedAtMs: now };
  await index.move(
    moves.map(({ row, to }) => ({ rolloutId: row.rolloutId, path: to, archived, ...touched })),
  );
  return null;
}

function targetFolder(home: string, { path }: RolloutRow, archived: boolean): string {
  if (archived) return archivedFolder(home);
  const day = parseRolloutName(basename(path))?.time.slice(0, 10) ?? "";
  return join(sessionsFolder(home), ...day.split("-"));
}
