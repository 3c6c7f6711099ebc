/**
 * Files that are not needed any more: unfinished temporary files, and locks of deleted threads. Only plain files in the
 * home are removed, because sandboxed commands cannot write there: in a writable folder, a planted link could redirect
 * a recursive deletion.
 */
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { HistoryIndex } from "../index/history-index.ts";
import { IMPORT_SUFFIX, REPAIR_SUFFIX } from "../repair/examine-file.ts";
import { PACKING_SUFFIX } from "../rollout/pack-file.ts";
import { archivedFolder, sessionsFolder } from "../rollout/rollout-name.ts";
import { createWriterLocks } from "../rollout/writer-lock.ts";

export interface Leftover {
  readonly path: string;
  readonly bytes: number;
  readonly what: string;
}

export interface LeftoverOptions {
  readonly home: string;
  readonly index: Pick<HistoryIndex, "rolloutsOf">;
  readonly nowMs: number;
}

const DAY_MS = 86_400_000;
/** Unfinished files are normally completed within minutes. */
const UNFINISHED_MS = DAY_MS;

const UNFINISHED = [PACKING_SUFFIX, REPAIR_SUFFIX, IMPORT_SUFFIX, ".jsonl.restoring"];
const LOCK = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.lock$/;

export async function findLeftovers({ home, index, nowMs }: LeftoverOptions): Promise<Leftover[]> {
  const found: Leftover[] = [];
  const add = (path: string, olderThanMs: number, what: string): void => {
    const status = lstatSync(path, { throwIfNoEntry: false });
    // Files of other users and symbolic links are not touched.
    const isOurs = status?.isFile() === true && status.uid === process.getuid?.();
    if (isOurs && nowMs - status.mtimeMs > olderThanMs) found.push({ path, bytes: status.size, what });
  };
  for (const folder of [sessionsFolder(home), archivedFolder(home)]) {
    for (const entry of entriesIn(folder, true))
      if (UNFINISHED.some((suffix) => entry.name.endsWith(suffix)))
        add(join(entry.parentPath, entry.name), UNFINISHED_MS, "a file that was never finished");
  }
  for (const { name } of entriesIn(join(home, "tmp")))
    if (name.startsWith("unpacked-"))
      add(join(home, "tmp", name), UNFINISHED_MS, "a file that was never finished");
  for (const { name, parentPath } of entriesIn(locksOf(home))) {
    const [, threadId] = LOCK.exec(name) ?? [];
    if (threadId !== undefined && (await index.rolloutsOf(threadId)).length === 0)
      add(join(parentPath, name), UNFINISHED_MS, "the lock of a thread that is gone");
  }
  return found;
}

/**
 * Returns the removed files. A lock file is removed only under its lock: otherwise two processes could hold locks on
 * different files of the same name.
 */
export async function removeLeftovers(home: string, leftovers: readonly Leftover[]): Promise<Leftover[]> {
  const locks = createWriterLocks(home);
  const removed: Leftover[] = [];
  for (const leftover of leftovers) {
    const [, threadId] = LOCK.exec(leftover.path.slice(locksOf(home).length + 1)) ?? [];
    const lock = threadId === undefined ? null : await locks.acquire(threadId);
    if (lock?.kind === "taken" || lock?.kind === "unavailable") continue;
    await rm(leftover.path, { force: true });
    lock?.release();
    removed.push(leftover);
  }
  return removed;
}

function locksOf(home: string): string {
  return join(home, "thread-writer-locks");
}

function entriesIn(folder: string, recursive = false): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive });
  } catch {
    // The folder does not exist or is not readable.
    return [];
  }
}
