/** The folders with rollouts in a home, and their files. */
import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import {
  dayFolders,
  type FoundRollout,
  findThreadRollout,
  namesInSync,
  rolloutsAmong,
} from "../rollout/find-rollouts.ts";
import { archivedFolder, rolloutPath } from "../rollout/rollout-name.ts";

/** All folders with rollouts: days, newest first, then the archive. Each is read only when it is reached. */
export function* rolloutFolders(home: string): Generator<string> {
  for (const { folder } of dayFolders(home)) yield folder;
  yield archivedFolder(home);
}

/** The folders into which other programs usually write: the newest days and the archive. */
export function busyFolders(home: string, days: number): string[] {
  const found: string[] = [];
  for (const { folder } of dayFolders(home)) {
    if (found.length >= days) break;
    found.push(folder);
  }
  return [...found, archivedFolder(home)];
}

/** The rollouts in one folder, newest first. */
export function rolloutsIn(home: string, folder: string): FoundRollout[] {
  return rolloutsAmong(namesInSync(folder), { folder, archived: folder === archivedFolder(home) });
}

/** When a file was last added or removed; null if the folder does not exist. */
export function changeTime(folder: string): number | null {
  return statusOf(folder)?.mtimeMs ?? null;
}

/**
 * Detects reverts by other programs: the thread continues in a new file, while the indexed one stays unchanged. The
 * first call for a thread searches all folders, later ones only those of the last two days.
 */

export interface RevertWatcher {
  /** Calls back for each file that may be new since the previous call. */
  findReverts(threadId: string, onFound: (found: FoundRollout) => Promise<void>): Promise<void>;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Beyond this limit, all folders are searched again. */
const MAX_THREADS = 10_000;

export function createRevertWatcher(home: string, now: () => number): RevertWatcher {
  const searched = new Set<string>();
  const times = new Map<string, number>();

  /** Files of reverts in a changed folder. */
  function newRevertsIn(folder: string): FoundRollout[] {
    const time = changeTime(folder);
    if (time === null || times.get(folder) === time) return [];
    times.set(folder, time);
    return rolloutsIn(home, folder).filter(({ name }) => name.rolloutId !== name.threadId);
  }

  /** The folders of today and yesterday in local time, and the minute for which they were determined. */
  let recent: { readonly minute: number; readonly folders: readonly string[] } | null = null;

  function recentFolders(threadId: string): readonly string[] {
    const minute = Math.floor(now() / MINUTE_MS);
    if (recent?.minute !== minute) {
      const times = [0, DAY_MS].map((ago) => minute * MINUTE_MS - ago);
      const folders = times.map((createdAtMs) => dirname(rolloutPath(home, { threadId, createdAtMs })));
      recent = { minute, folders };
    }
    return recent.folders;
  }

  return {
    async findReverts(threadId, onFound) {
      const folders = recentFolders(threadId);
      for (const folder of times.keys()) if (!folders.includes(folder)) times.delete(folder);
      for (const found of folders.flatMap(newRevertsIn)) await onFound(found);
      if (searched.has(threadId)) return;
      if (searched.size >= MAX_THREADS) searched.clear();
      searched.add(threadId);
      const found = await findThreadRollout(home, threadId);
      if (found !== null && found.name.rolloutId !== threadId) await onFound(found);
    },
  };
}

/**
 * The stats of a path; null if it does not exist or is not accessible. A list checks every file on its page:
 * synchronously that takes 2 µs each from the system's cache, and 50 µs through the thread pool.
 */
export function statusOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
