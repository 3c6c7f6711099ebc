/** Which rollout files a home has, newest first, one folder in memory at a time. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  archivedFolder,
  compareNewestFirst,
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
  /** Archived files instead of active ones. */
  readonly archived?: boolean;
  /** Days before this one, as `2026-11-15`, are left out. */
  readonly sinceDay?: string;
  /** Only files with this id in their names. */
  readonly id?: string;
}

/** Every rollout file of a home, newest first. A folder that cannot be read counts as empty. */
export async function* walkRollouts(home: string, options: WalkOptions = {}): AsyncGenerator<FoundRollout> {
  if (options.archived === true) {
    yield* rolloutsIn(archivedFolder(home), options);
    return;
  }
  const root = sessionsFolder(home);
  const since = options.sinceDay ?? "";
  for (const year of await numericFolders(root, 4)) {
    for (const month of await numericFolders(join(root, year), 2)) {
      for (const day of await numericFolders(join(root, year, month), 2)) {
        if (`${year}-${month}-${day}` < since) return;
        yield* rolloutsIn(join(root, year, month, day), options);
      }
    }
  }
}

/** The current file of a thread: its newest one, among the active files or, when there is none, the archived. */
export async function findThreadRollout(home: string, threadId: string): Promise<FoundRollout | null> {
  const id = threadId.toLowerCase();
  return findFirst(home, id, (name) => name.threadId.toLowerCase() === id);
}

/** The file with this rollout id, which a `history_base` names. */
export async function findRolloutById(home: string, rolloutId: string): Promise<FoundRollout | null> {
  const id = rolloutId.toLowerCase();
  return findFirst(home, id, (name) => name.rolloutId.toLowerCase() === id);
}

async function findFirst(
  home: string,
  id: string,
  matches: (name: RolloutName) => boolean,
): Promise<FoundRollout | null> {
  const sinceDay = dayBefore(id);
  // Files that were copied here may lie in folders older than their ids: the whole tree is the last resort.
  const attempts: WalkOptions[] = [...(sinceDay === null ? [] : [{ sinceDay }]), { archived: true }, {}];
  for (const options of attempts) {
    for await (const found of walkRollouts(home, { ...options, id })) if (matches(found.name)) return found;
  }
  return null;
}

/**
 * The day before a UUIDv7 was made: older folders do not name it, even where their days are local ones.
 * Null for other ids.
 */
function dayBefore(id: string): string | null {
  if (id.charAt(14) !== "7") return null;
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return Number.isNaN(ms) ? null : new Date(ms - 86_400_000).toISOString().slice(0, 10);
}

async function* rolloutsIn(
  folder: string,
  { id, archived = false }: WalkOptions,
): AsyncGenerator<FoundRollout> {
  const names = await namesIn(folder);
  const wanted = id === undefined ? names : names.filter((name) => name.toLowerCase().includes(id));
  yield* rolloutsAmong(wanted, { folder, archived });
}

async function numericFolders(folder: string, digits: number): Promise<string[]> {
  return numericNames(await namesIn(folder), digits);
}

/** Those of the names in a folder that are rollouts', the newest first. */
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

/** Those of the names in a folder that stand for years, months or days, the newest first. */
export function numericNames(names: readonly string[], digits: number): string[] {
  return names
    .filter((name) => name.length === digits && /^\d+$/.test(name))
    .sort()
    .reverse();
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    // A home without history has no folder, and one that cannot be entered has nothing to show.
    return [];
  }
}
