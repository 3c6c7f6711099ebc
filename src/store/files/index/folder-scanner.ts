/**
 * Compares folders with the index: unindexed files go to the backlog, missing ones are removed from the index. The
 * modification time of a folder changes when a file is added or removed, so that an unchanged folder need not be
 * scanned again. The index stores these times for the next server.
 */
import { basename, dirname } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { isObject } from "../../../base/json-object.ts";
import { createTimeSlices, yieldToEventLoop } from "../../../base/time-slices.ts";
import { namesIn } from "../rollout/find-rollouts.ts";
import { archivedFolder, parseRolloutName } from "../rollout/rollout-name.ts";
import type { Backlog } from "./backlog.ts";
import type { HistoryIndex, IndexedFile, RolloutRow } from "./history-index.ts";
import type { Indexer } from "./indexer.ts";
import { changeTime, statusOf } from "./rollout-folders.ts";

export interface ScannerOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly backlog: Backlog;
  readonly now: () => number;
}

/** Names between two checks of the time slice. */
const NAMES_AT_ONCE = 100;
const NOTE = "folders";
const NOTE_EVERY_MS = 60_000;
/** The resolution of file times: a second file within one tick does not change the folder's time. */
const TICK_MS = 100;

export class FolderScanner {
  readonly #options: ScannerOptions;
  readonly #seen = new Map<string, number>();
  readonly #gone = new Set<string>();
  #isNoted = true;
  #notedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  hasChanged(folder: string): boolean {
    return changeTime(folder) !== (this.#seen.get(folder) ?? null);
  }

  /** Scans the folder of this file again, because the index may lack the file. */
  forget(path: string): void {
    this.#seen.delete(dirname(path));
    this.#isNoted = false;
  }

  /** Resets the scanner to the folder times that the index stores. */
  async begin(): Promise<void> {
    this.#seen.clear();
    this.#gone.clear();
    const stored = JSON.parse((await this.#options.index.note(NOTE)) ?? "null") as unknown;
    if (!isObject(stored)) return;
    for (const [folder, time] of Object.entries(stored)) {
      if (typeof time === "number") this.#seen.set(folder, time);
    }
  }

  /** Scans a folder and returns its indexed files that still exist. */
  async scan(folder: string): Promise<readonly IndexedFile[]> {
    const { home, index, backlog, now } = this.#options;
    const time = changeTime(folder);
    const names = new Set(time === null ? [] : await namesIn(folder));
    const known: IndexedFile[] = [];
    for await (const file of indexedFilesIn(index, folder)) {
      if (names.delete(basename(file.path))) known.push(file);
      else this.#gone.add(file.rolloutId);
    }
    const slice = createTimeSlices(now);
    const archived = folder === archivedFolder(home);
    let at = 0;
    for (const fileName of [...names].sort().reverse()) {
      const name = parseRolloutName(fileName);
      if (name !== null) backlog.add({ path: `${folder}/${fileName}`, name, archived });
      if (++at % NAMES_AT_ONCE === 0) await slice.pause();
    }
    const isStable = time !== null && Math.abs(now() - time) > TICK_MS;
    this.#isNoted &&= this.#seen.get(folder) === time;
    if (isStable) this.#seen.set(folder, time);
    else this.#seen.delete(folder);
    return known;
  }

  /** Removes missing files from the index, and returns the ids of moved ones, which are in the backlog. */
  async removeGone(): Promise<string[]> {
    const { index, backlog } = this.#options;
    const ids = [...this.#gone];
    this.#gone.clear();
    await index.remove(ids.filter((id) => backlog.file(id) === null));
    return ids.filter((id) => backlog.file(id) !== null);
  }

  /** Known folders that no longer exist. */
  vanished(): string[] {
    return [...this.#seen.keys()].filter((folder) => changeTime(folder) === null);
  }

  /**
   * Stores the folder times; call it only when the backlog is empty. Writes are throttled, because the folder of the
   * current day changes with every thread.
   */
  async note({ always = false } = {}): Promise<void> {
    const now = this.#options.now();
    if (this.#isNoted || (!always && now - this.#notedAt < NOTE_EVERY_MS)) return;
    this.#isNoted = true;
    this.#notedAt = now;
    await this.#options.index.setNote(NOTE, JSON.stringify(Object.fromEntries(this.#seen)));
  }
}

/** Checks of indexed files, which other programs may change, replace or remove. */

export interface RecheckOptions {
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly clock: Clock;
}

/** Which kind of stale rows was found. */
export type Recheck = "nothing" | "changed" | "gone";

export async function recheckRows(
  { index, indexer, onGone }: RecheckOptions & { readonly onGone: (path: string) => void },
  rows: readonly RolloutRow[],
): Promise<Recheck> {
  const changed = rows.filter(hasChanged);
  let outcome: Recheck = changed.length > 0 ? "changed" : "nothing";
  for (const row of changed) {
    if (statusOf(row.path) !== null)
      await (row.indexedBytes > 0 ? indexer.catchUp(row) : indexer.refresh(row));
    else {
      await index.remove([row.rolloutId]);
      onGone(row.path);
      outcome = "gone";
    }
  }
  return outcome;
}

export async function catchUpFiles(
  { index, indexer, clock }: RecheckOptions,
  known: readonly IndexedFile[],
  isClosed: () => boolean,
): Promise<void> {
  const slice = createTimeSlices(() => clock.now());
  for (const file of known) {
    if (isClosed()) return;
    if (hasChanged(file)) {
      const row = await index.rollout(file.rolloutId);
      if (row !== null && row.indexedBytes > 0) await indexer.catchUp(row);
      else await indexer.refresh(file);
    }
    await slice.pause();
  }
}

/** Whether a file differs from its row. */
function hasChanged({
  path,
  size,
  inode,
  mtimeMs,
}: Pick<IndexedFile, "path" | "size" | "inode" | "mtimeMs">): boolean {
  const status = statusOf(path);
  return status === null || status.size !== size || status.ino !== inode || status.mtimeMs < mtimeMs - 1;
}

/**
 * The indexed files of a folder and its subfolders, sorted by path, in pages; yields to the event loop between pages.
 */
export async function* indexedFilesIn(index: HistoryIndex, folder: string): AsyncGenerator<IndexedFile> {
  for (let after: string | undefined; ; ) {
    const found = await index.indexedFiles(folder, after);
    yield* found;
    after = found.at(-1)?.path;
    if (after === undefined) return;
    await yieldToEventLoop();
  }
}
