/** The folders of a home that hold rollouts, and what lies in each. */
import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import {
  dayFolders,
  type FoundRollout,
  findThreadRollout,
  namesNow,
  rolloutsAmong,
} from "../rollout/find-rollouts.ts";
import { archivedFolder, rolloutPath } from "../rollout/rollout-name.ts";

/** Every folder with rollouts: the days, the newest first, then the archive. Each is looked for when it is asked for. */
export function* rolloutFolders(home: string): Generator<string> {
  for (const { folder } of dayFolders(home)) yield folder;
  yield archivedFolder(home);
}

/** The folders that other programs put files into as a rule: the newest days, and the archive. */
export function busyFolders(home: string, days: number): string[] {
  const found: string[] = [];
  for (const { folder } of dayFolders(home)) {
    if (found.length >= days) break;
    found.push(folder);
  }
  return [...found, archivedFolder(home)];
}

/** The rollouts in one folder, the newest first. */
export function rolloutsIn(home: string, folder: string): FoundRollout[] {
  return rolloutsAmong(namesNow(folder), { folder, archived: folder === archivedFolder(home) });
}

/** When something was last added to a folder or removed from it; null when there is none. */
export function changeTime(folder: string): number | null {
  return statusOf(folder)?.mtimeMs ?? null;
}

/**
 * Notices reverts by other programs: such a thread goes on in a new file, while the one that the index knows stays as
 * it was. All folders are looked through when a thread is first asked for; later only those of the last two days.
 */

export interface RevertWatcher {
  /** Calls back for each file that may have come since the last time. */
  notice(threadId: string, onFound: (found: FoundRollout) => Promise<void>): Promise<void>;
}

const DAY_MS = 86_400_000;
/** More threads than these are looked for anew. */
const MAX_THREADS = 10_000;

export function createRevertWatcher(home: string, now: () => number): RevertWatcher {
  const looked = new Set<string>();
  const times = new Map<string, number>();

  /** The reverts in a folder that has changed. */
  function newIn(folder: string): FoundRollout[] {
    const time = changeTime(folder);
    if (time === null || times.get(folder) === time) return [];
    times.set(folder, time);
    return rolloutsIn(home, folder).filter(({ name }) => name.rolloutId !== name.threadId);
  }

  return {
    async notice(threadId, onFound) {
      const folders = [0, DAY_MS].map((ago) =>
        dirname(rolloutPath(home, { threadId, createdAtMs: now() - ago })),
      );
      for (const folder of times.keys()) if (!folders.includes(folder)) times.delete(folder);
      for (const found of folders.flatMap(newIn)) await onFound(found);
      if (looked.has(threadId)) return;
      if (looked.size >= MAX_THREADS) looked.clear();
      looked.add(threadId);
      const found = await findThreadRollout(home, threadId);
      if (found !== null && found.name.rolloutId !== threadId) await onFound(found);
    },
  };
}

/**
 * What the system says of a path; null where there is nothing, or nothing that it lets us look at. A list asks this
 * of every file on its page: that takes two microseconds each from the system's memory, and fifty by way of a thread.
 */
export function statusOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
