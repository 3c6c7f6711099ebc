/** Finds the rollout files of a home, newest first, with one folder in memory at a time. */
import { readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  archivedFolder,
  compareNewestFirst,
  idTimeMs,
  parseRolloutName,
  type RolloutName,
  sessionsFolder,
} from "./rollout-name.ts";

export interface FoundRollout {
  readonly path: string;
  readonly name: RolloutName;
  readonly archived: boolean;
}

export interface WalkOptions {
  /** Walks archived files instead of active ones. */
  readonly archived?: boolean;
}

/** The search yields to the event loop after this many folders. */
const FOLDERS_AT_ONCE = 16;

/** All rollout files of a home, newest first. An unreadable folder is treated as empty. */
export async function* walkRollouts(home: string, options: WalkOptions = {}): AsyncGenerator<FoundRollout> {
  if (options.archived === true) {
    yield* rolloutsIn(archivedFolder(home), true);
    return;
  }
  const root = sessionsFolder(home);
  for (const year of await numericFolders(root, 4)) {
    for (const month of await numericFolders(join(root, year), 2)) {
      for (const day of await numericFolders(join(root, year, month), 2)) {
        yield* rolloutsIn(join(root, year, month, day), false);
      }
    }
  }
}

/** The current file of a thread: the newest active one or, if there is none, the newest archived one. */
export async function findThreadRollout(home: string, threadId: string): Promise<FoundRollout | null> {
  const id = threadId.toLowerCase();
  return findFirst(home, id, (name) => name.threadId === id);
}

/** The file with this rollout id, as named by a `history_base`. */
export async function findRolloutById(home: string, rolloutId: string): Promise<FoundRollout | null> {
  const id = rolloutId.toLowerCase();
  return findFirst(home, id, (name) => name.rolloutId === id);
}

async function findFirst(
  home: string,
  id: string,
  matches: (name: RolloutName) => boolean,
): Promise<FoundRollout | null> {
  const since = dayBefore(id) ?? "";
  const older: string[] = [];
  const inFolder = (folder: string, archived: boolean): FoundRollout | undefined => {
    const names = namesInSync(folder).filter((name) => name.toLowerCase().includes(id));
    return rolloutsAmong(names, { folder, archived }).find(({ name }) => matches(name));
  };
  let looked = 0;
  for (const { folder, day } of dayFolders(home)) {
    if (++looked % FOLDERS_AT_ONCE === 0) await new Promise((resolve) => void setImmediate(resolve));
    if (day < since) older.push(folder);
    else {
      const found = inFolder(folder, false);
      if (found !== undefined) return found;
    }
  }
  const archived = inFolder(archivedFolder(home), true);
  if (archived !== undefined) return archived;
  // Copied files may be in folders older than their ids, which are searched last.
  for (const folder of older) {
    if (++looked % FOLDERS_AT_ONCE === 0) await new Promise((resolve) => void setImmediate(resolve));
    const found = inFolder(folder, false);
    if (found !== undefined) return found;
  }
  return null;
}

/** The day folders, newest first; each is read only when it is reached. */
export function* dayFolders(home: string): Generator<{ readonly folder: string; readonly day: string }> {
  const root = sessionsFolder(home);
  for (const year of numericNames(namesInSync(root), 4)) {
    for (const month of numericNames(namesInSync(join(root, year)), 2)) {
      for (const day of numericNames(namesInSync(join(root, year, month)), 2)) {
        yield { folder: join(root, year, month, day), day: `${year}-${month}-${day}` };
      }
    }
  }
}

/** Reads synchronously, which for small day folders is faster than a thread pool round trip. */
export function namesInSync(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Unreadable folders are treated as empty.
    return [];
  }
}

/**
 * The day before a UUIDv7 was created: no older folder contains it, even though folders use local days. Null for other
 * ids.
 */
function dayBefore(id: string): string | null {
  const ms = idTimeMs(id);
  return ms === null ? null : new Date(ms - 86_400_000).toISOString().slice(0, 10);
}

async function* rolloutsIn(folder: string, archived: boolean): AsyncGenerator<FoundRollout> {
  yield* rolloutsAmong(await namesIn(folder), { folder, archived });
}

async function numericFolders(folder: string, digits: number): Promise<string[]> {
  return numericNames(await namesIn(folder), digits);
}

/** The names that are rollouts, newest first. */
export function rolloutsAmong(
  names: readonly string[],
  { folder, archived }: { readonly folder: string; readonly archived: boolean },
): FoundRollout[] {
  const found: FoundRollout[] = [];
  for (const fileName of names) {
    const name = parseRolloutName(fileName);
    if (name !== null) found.push({ path: join(folder, fileName), name, archived });
  }
  return found.sort((one, other) => compareNewestFirst(one.name, other.name));
}

/** The names that are years, months or days, newest first. */
export function numericNames(names: readonly string[], digits: number): string[] {
  return names
    .filter((name) => name.length === digits && /^\d+$/.test(name))
    .sort()
    .reverse();
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    // A home without history has no folder; an unreadable one is treated as empty.
    return [];
  }
}
