/** The folders of a home that hold rollouts, and what lies in each. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FoundRollout } from "../rollout/find-rollouts.ts";
import {
  archivedFolder,
  compareNewestFirst,
  parseRolloutName,
  sessionsFolder,
} from "../rollout/rollout-name.ts";

/** Every folder with rollouts: the days, the newest first, then the archive. */
export function rolloutFolders(home: string): string[] {
  const root = sessionsFolder(home);
  const days = numbered(root, 4).flatMap((year) =>
    numbered(join(root, year), 2).flatMap((month) =>
      numbered(join(root, year, month), 2).map((day) => join(root, year, month, day)),
    ),
  );
  return [...days, archivedFolder(home)];
}

/** The rollouts in one folder, the newest first. */
export function rolloutsIn(home: string, folder: string): FoundRollout[] {
  const archived = folder === archivedFolder(home);
  const found: FoundRollout[] = [];
  for (const fileName of namesIn(folder)) {
    const name = parseRolloutName(fileName);
    if (name !== null) found.push({ path: join(folder, fileName), name, archived });
  }
  return found.sort((one, other) => compareNewestFirst(one.name, other.name));
}

/** When something was last added to a folder or removed from it; null when there is none. */
export function changeTime(folder: string): number | null {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function numbered(folder: string, digits: number): string[] {
  return namesIn(folder)
    .filter((name) => name.length === digits && /^\d+$/.test(name))
    .sort()
    .reverse();
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A home without history has no folder, and one that cannot be entered has nothing to show.
    return [];
  }
}
