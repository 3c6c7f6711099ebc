/** The folders of a home that hold rollouts, and what lies in each. */
import { dayFolders, type FoundRollout, namesNow, rolloutsAmong } from "../rollout/find-rollouts.ts";
import { archivedFolder } from "../rollout/rollout-name.ts";
import { statusOf } from "./status-of.ts";

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
