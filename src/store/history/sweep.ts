/**
 * Keeps the index in step with the files: those that other programs made, changed or removed, and all of them when
 * the index is new. It works folder by folder, the newest first, a few files at a time, while the server answers.
 */
import { statSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import { createDeferred } from "../../base/deferred.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { HistoryIndex, RolloutRow, Sighting } from "../history-index.ts";
import type { FoundRollout } from "../rollout/find-rollouts.ts";
import type { Indexer } from "./indexer.ts";
import { changeTime, rolloutFolders, rolloutsIn } from "./rollout-folders.ts";

export interface SweepOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long a first list may wait for files. */
  readonly patienceMs?: number;
}

const DEFAULT_PATIENCE_MS = 700;
const FOLDERS_EVERY_MS = 5000;
const FILES_EVERY_MS = 60_000;
const BATCH = 50;
/** Files by their last change that a new index begins with, so that no order of the first page is wrong. */
const FIRST_FILES = 100;
/** The folders that each list looks at. */
const WATCHED_FOLDERS = 3;

export class Sweep {
  readonly #options: SweepOptions;
  readonly #seen = new Map<string, number>();
  #epoch = 0;
  #running: Promise<void> | null = null;
  #ready = createDeferred<void>();
  #filesAt = Number.NEGATIVE_INFINITY;
  #foldersAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #isFilling = false;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  /** Before a list: has the newest files in the index, and waits for no more than a moment. */
  async freshen(): Promise<void> {
    const { home, clock, patienceMs = DEFAULT_PATIENCE_MS } = this.#options;
    this.#noticeLoss();
    if (clock.now() - this.#foldersAt >= FOLDERS_EVERY_MS) this.#start();
    if (this.#running !== null) await within(this.#ready.promise, patienceMs, clock);
    // A new index begins with the files of a first page; a later look at all folders may not have come to these yet.
    if (this.#isFilling) return;
    const folders = rolloutFolders(home);
    for (const folder of [...folders.slice(0, WATCHED_FOLDERS), ...folders.slice(-1)]) {
      if (this.#hasChanged(folder)) await this.#reconcile(folder, { everyFile: false });
    }
  }

  /** Until every file has been looked at. */
  async complete(): Promise<void> {
    this.#noticeLoss();
    await this.#running;
    this.#start();
    await this.#running;
  }

  /** Looks at these files again; true if one was not as the index said. */
  async recheck(rows: readonly RolloutRow[]): Promise<boolean> {
    const { index, indexer } = this.#options;
    const changed = rows.filter(isOther);
    for (const row of changed) {
      if (statSync(row.path, { throwIfNoEntry: false }) === undefined) await index.remove([row.rolloutId]);
      else if (row.indexedBytes > 0) await indexer.catchUp(row);
      else await indexer.refresh(row);
    }
    return changed.length > 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  #start(): void {
    if (this.#running !== null || this.#isClosed) return;
    const { log } = this.#options;
    this.#running = this.#scan()
      .catch((error: unknown) =>
        log.error("rollout files could not be indexed", { reason: messageOf(error) }),
      )
      .finally(() => {
        this.#running = null;
        this.#isFilling = false;
        this.#ready.resolve();
      });
  }

  /** A lost index is filled as a new one is. */
  #noticeLoss(): void {
    const { epoch } = this.#options.index;
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#seen.clear();
    this.#filesAt = this.#foldersAt = Number.NEGATIVE_INFINITY;
    this.#ready = createDeferred();
  }

  /** All folders; of those that have not changed, only the files are looked at, and that now and then. */
  async #scan(): Promise<void> {
    const { home, index, clock } = this.#options;
    const isFirst = this.#seen.size === 0 && (await index.isEmpty());
    const everyFile = !isFirst && clock.now() - this.#filesAt >= FILES_EVERY_MS;
    this.#foldersAt = clock.now();
    if (everyFile || isFirst) this.#filesAt = clock.now();
    const folders = rolloutFolders(home);
    this.#isFilling = isFirst;
    if (isFirst) await this.#begin(folders);
    for (const folder of folders) {
      if (this.#isClosed) return;
      if (everyFile || this.#hasChanged(folder)) await this.#reconcile(folder, { everyFile });
      // The newest folder is what a first page shows.
      this.#ready.resolve();
    }
  }

  async #begin(folders: readonly string[]): Promise<void> {
    const files: FoundRollout[] = [];
    for (const folder of folders) {
      files.push(...rolloutsIn(this.#options.home, folder));
      await nextTurn();
    }
    const timed: { found: FoundRollout; time: number }[] = [];
    for (const [at, found] of files.entries()) {
      if (at % (10 * BATCH) === 0) await nextTurn();
      if (this.#isClosed) return;
      timed.push({ found, time: changeTime(found.path) ?? 0 });
    }
    timed.sort((one, other) => other.time - one.time);
    const first = new Set(files.slice(0, FIRST_FILES));
    for (const { found } of timed.slice(0, FIRST_FILES)) first.add(found);
    await this.#takeHeads([...first]);
    this.#ready.resolve();
  }

  /** False when a file has to be looked at again soon. */
  async #takeHeads(files: readonly FoundRollout[]): Promise<boolean> {
    const { index, indexer } = this.#options;
    let isDone = true;
    for (let at = 0; at < files.length; at += BATCH) {
      if (this.#isClosed) return false;
      const rows: RolloutRow[] = [];
      for (const found of files.slice(at, at + BATCH)) {
        const row = await indexer.head(found);
        if (row !== null) rows.push(row);
        else if (indexer.isNew(found.path)) isDone = false;
      }
      await index.putHeads(rows);
      await nextTurn();
    }
    return isDone;
  }

  async #reconcile(folder: string, { everyFile }: { readonly everyFile: boolean }): Promise<void> {
    const { home, index } = this.#options;
    const time = changeTime(folder);
    const files = time === null ? [] : rolloutsIn(home, folder);
    const known = new Map((await index.sightings(folder)).map((sighting) => [sighting.path, sighting]));
    const present = new Set(files.map(({ path }) => path));
    const isDone = await this.#takeHeads(files.filter(({ path }) => !known.has(path)));
    const gone = [...known.values()].filter(({ path }) => !present.has(path));
    await index.remove(gone.map(({ rolloutId }) => rolloutId));
    if (everyFile) await this.#lookAgain(files, known);
    if (time !== null && isDone) this.#seen.set(folder, time);
  }

  async #lookAgain(files: readonly FoundRollout[], known: ReadonlyMap<string, Sighting>): Promise<void> {
    const { index, indexer } = this.#options;
    const changed: FoundRollout[] = [];
    for (const [at, found] of files.entries()) {
      if (at % BATCH === 0) await nextTurn();
      if (this.#isClosed) return;
      const sighting = known.get(found.path);
      if (sighting === undefined || !isOther(sighting)) continue;
      const row = sighting.indexedBytes === 0 ? null : await index.rollout(sighting.rolloutId);
      if (row === null) changed.push(found);
      else await indexer.catchUp(row);
    }
    await this.#takeHeads(changed);
  }

  #hasChanged(folder: string): boolean {
    return changeTime(folder) !== (this.#seen.get(folder) ?? null);
  }
}

/** Whether a file is not what was seen of it. */
function isOther({
  path,
  size,
  inode,
  mtimeMs,
}: Pick<Sighting, "path" | "size" | "inode" | "mtimeMs">): boolean {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined || status.size !== size || status.ino !== inode || status.mtimeMs < mtimeMs - 1;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

async function within(work: Promise<void>, ms: number, clock: Clock): Promise<void> {
  const time = createDeferred<void>();
  const cancel = clock.after(ms, () => time.resolve());
  await Promise.race([work, time.promise]);
  cancel();
}
