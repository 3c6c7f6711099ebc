/** The folders of a home that hold rollouts, and what lies in each. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type FoundRollout, numericNames, rolloutsAmong } from "../rollout/find-rollouts.ts";
import { archivedFolder, sessionsFolder } from "../rollout/rollout-name.ts";

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
  return rolloutsAmong(namesIn(folder), { folder, archived: folder === archivedFolder(home) });
}

/** When something was last added to a folder or removed from it; null when there is none. */
export function changeTime(folder: string): number | null {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function numbered(folder: string, digits: number): string[] {
  return numericNames(namesIn(folder), digits);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // As for every look at these folders: what cannot be read counts as empty.
    return [];
  }
}
