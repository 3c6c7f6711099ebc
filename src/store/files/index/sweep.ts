/**
 * Synchronizes the index with the files: with changes by other programs, and with all files if the index is new. A list
 * waits until every file that could be on its page is indexed; the rest is indexed in the background.
 */

import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import { createTimeSlices } from "../../../base/time-slices.ts";
import { positionOf, type ThreadQuery } from "../../pages/thread-list.ts";
import type { FaultList } from "../rollout/reader.ts";
import { Backlog, createFillProgress, type FillProgress } from "./backlog.ts";
import { catchUpFiles, FolderScanner, type Recheck, recheckRows } from "./folder-scanner.ts";
import { HeadIndexer } from "./head-indexer.ts";
import { type HistoryIndex, type IndexedFile, type RolloutRow, type ThreadEntry } from "./history-index.ts";
import type { Indexer } from "./indexer.ts";
import { busyFolders, rolloutFolders } from "./rollout-folders.ts";

export interface SweepOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly faults: FaultList;
  /** How many threads a list indexes before it queries again; doubled with each attempt. */
  readonly fillStep?: number;
}

const FOLDERS_EVERY_MS = 5000;
const FILES_EVERY_MS = 60_000;
/** The number of newest day folders that each list checks. */
const WATCHED_DAYS = 3;
const FIRST_STEP = 64;
const LAST_STEP = 4096;

export class Sweep {
  readonly #options: SweepOptions;
  readonly #backlog = new Backlog();
  readonly #scanner: FolderScanner;
  readonly #heads: HeadIndexer;
  readonly #progress: FillProgress;
  #epoch: number | null = null;
  #first: Promise<void> | null = null;
  #scanning: Promise<void> | null = null;
  #filling: Promise<void> | null = null;
  #filesAt = Number.NEGATIVE_INFINITY;
  #foldersAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: SweepOptions) {
    const { clock, log, faults } = options;
    const now = () => clock.now();
    const shared = { ...options, backlog: this.#backlog, now };
    this.#options = options;
    this.#scanner = new FolderScanner(shared);
    this.#progress = createFillProgress({ backlog: this.#backlog, log, now });
    this.#heads = new HeadIndexer({
      ...shared,
      isClosed: () => this.#isClosed,
      onStep: () => this.#progress.report(),
      onRefused: (path, reason) => faults.file(path, `the index cannot hold it: ${reason}`),
      onUnfinished: (path) => this.#scanner.forget(path),
    });
  }

  /** A page of threads that is complete with respect to the files on disk. */
  async list(query: ThreadQuery): Promise<readonly ThreadEntry[]> {
    const { index, fillStep = FIRST_STEP } = this.#options;
    const done = this.#progress.wait();
    try {
      await this.#findNewFiles();
      for (let step = fillStep; ; step = Math.min(2 * step, LAST_STEP)) {
        await this.#heads.readTimes(this.#backlog.untimed(query.order));
        const { removals } = this.#backlog;
        const entries = await index.list(query);
        if (this.#isClosed) return entries;
        if (this.#isNewIndex()) await this.#findNewFiles();
        // A thread that was indexed meanwhile is neither on this page nor in the backlog.
        else if (this.#backlog.removals !== removals) continue;
        else if (this.#backlog.files === 0 || !(await this.#indexMissing(query, entries, step)))
          return entries;
      }
    } finally {
      done();
    }
  }

  /** Resolves when every file is indexed. Changes of files that are already indexed may be missing. */
  async fill(): Promise<void> {
    const done = this.#progress.wait();
    try {
      await this.#findNewFiles();
      while (this.#backlog.files > 0 && !this.#isClosed)
        await this.#heads.index(this.#backlog.first(LAST_STEP));
    } finally {
      done();
    }
  }

  /** Resolves when every file has been checked. */
  async complete(): Promise<void> {
    await this.#scanning;
    await this.#findNewFiles();
    await this.#scanning;
    this.#scan();
    await this.#scanning;
    await this.fill();
  }

  /** Checks these files again, and returns which kind of stale rows was found. */
  recheck(rows: readonly RolloutRow[]): Promise<Recheck> {
    return recheckRows({ ...this.#options, onGone: (path) => this.#scanner.forget(path) }, rows);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([this.#first, this.#scanning, this.#filling]);
    if (this.#backlog.files === 0 && !this.#isNewIndex()) await this.#scanner.note({ always: true });
  }

  /** Finds new files: in all folders if the index is new to this process, else in the busy ones. */
  async #findNewFiles(): Promise<void> {
    if (this.#isNewIndex()) {
      this.#epoch = this.#options.index.epoch;
      this.#first = this.#begin();
    }
    await this.#first;
    for (const folder of busyFolders(this.#options.home, WATCHED_DAYS)) {
      if (this.#scanner.hasChanged(folder)) await this.#scanner.scan(folder);
    }
    await this.#removeGone();
    if (this.#options.clock.now() - this.#foldersAt >= FOLDERS_EVERY_MS) this.#scan();
    this.#fillInBackground();
  }

  #isNewIndex(): boolean {
    return this.#options.index.epoch !== this.#epoch;
  }

  async #begin(): Promise<void> {
    try {
      this.#backlog.clear();
      this.#heads.clearCache();
      this.#filesAt = this.#foldersAt = Number.NEGATIVE_INFINITY;
      await this.#scanner.begin();
      await this.#scanFolders((folder) => this.#scanner.hasChanged(folder));
    } catch (error) {
      // The next call tries again.
      this.#epoch = null;
      throw error;
    }
  }

  /** Scans all folders in the background; from time to time, all files. */
  #scan(): void {
    if (this.#scanning !== null || this.#isClosed) return;
    const { clock } = this.#options;
    const everyFile = clock.now() - this.#filesAt >= FILES_EVERY_MS;
    this.#foldersAt = clock.now();
    if (everyFile) this.#filesAt = clock.now();
    this.#heads.clearCache();
    this.#scanning = this.#scanFolders(
      (folder) => everyFile || this.#scanner.hasChanged(folder),
      everyFile ? (known) => catchUpFiles(this.#options, known, () => this.#isClosed) : undefined,
    )
      .catch((error: unknown) => this.#logFailure(error))
      .finally(() => {
        this.#scanning = null;
        this.#fillInBackground();
      });
  }

  async #scanFolders(
    isWanted: (folder: string) => boolean,
    then: (known: readonly IndexedFile[]) => Promise<void> = async () => {},
  ): Promise<void> {
    const { home, clock } = this.#options;
    const slice = createTimeSlices(() => clock.now());
    for (const folder of rolloutFolders(home)) {
      if (this.#isClosed) return;
      if (isWanted(folder)) await then(await this.#scanner.scan(folder));
      await slice.pause();
    }
    for (const folder of this.#scanner.vanished()) await this.#scanner.scan(folder);
    await this.#removeGone();
  }

  /** Moved files are indexed at once, because the index still has their old paths. */
  async #removeGone(): Promise<void> {
    const moved = await this.#scanner.removeGone();
    const threads = moved.flatMap((id) => this.#backlog.thread(id) ?? []);
    if (threads.length > 0) await this.#heads.index(threads);
  }

  /** False if the index has every thread that could be on the page. */
  async #indexMissing(query: ThreadQuery, entries: readonly ThreadEntry[], limit: number): Promise<boolean> {
    const last = entries.length < query.limit ? undefined : entries.at(-1);
    const missing = this.#backlog.missingFrom({
      query,
      last: last === undefined ? null : positionOf(last.row, query),
      limit,
    });
    await this.#heads.index(missing);
    return missing.length > 0;
  }

  /** Indexes the backlog in the background while no list waits. */
  #fillInBackground(): void {
    if (this.#filling !== null || this.#isClosed) return;
    const fill = async (): Promise<void> => {
      while (this.#backlog.files > 0 && !this.#isClosed) {
        await this.#progress.whenIdle();
        await this.#heads.index(this.#backlog.first(this.#options.fillStep ?? FIRST_STEP));
      }
      if (!this.#isClosed && !this.#isNewIndex()) await this.#scanner.note();
    };
    this.#filling = fill()
      .catch((error: unknown) => this.#logFailure(error))
      .finally(() => {
        this.#filling = null;
      });
  }

  #logFailure(error: unknown): void {
    this.#options.log.error("rollout files could not be indexed", { reason: messageOf(error) });
  }
}
