/** Moves threads from the backlog to the index, reading only the head and the tail of their files, in time slices. */
import { messageOf } from "../../../base/errors.ts";
import { createTimeSlices, yieldToEventLoop } from "../../../base/time-slices.ts";
import { type FoundRollout, findRolloutById } from "../rollout/find-rollouts.ts";
import { archivedFolder, sessionsFolder } from "../rollout/rollout-name.ts";
import { type Backlog, compareCurrentFirst, type PendingThread } from "./backlog.ts";
import type { HistoryIndex, RolloutRow } from "./history-index.ts";
import { foundAt, type Indexer } from "./indexer.ts";
import { statusOf } from "./rollout-folders.ts";

export interface HeadIndexerOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly backlog: Backlog;
  readonly now: () => number;
  readonly isClosed: () => boolean;
  /** Called after each batch. */
  readonly onStep: () => void;
  readonly onRefused: (path: string, reason: string) => void;
  /** Called for a file that is being created and must be scanned again. */
  readonly onUnfinished: (path: string) => void;
}

/** Rows per transaction, which blocks other writers. */
const BATCH = 50;
/** Limit of cached base rows. */
const MAX_BASES = 1000;
/** Limit of searches for bases that are in neither the index nor the backlog; each search reads all folders. */
const MAX_SEARCHES = 100;

export class HeadIndexer {
  readonly #options: HeadIndexerOptions;
  readonly #bases = new Map<string, RolloutRow>();
  readonly #missing = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: HeadIndexerOptions) {
    this.#options = options;
  }

  /** Calls are serialized; a thread that an earlier call has indexed is skipped. */
  index(threads: readonly PendingThread[]): Promise<void> {
    const work = this.#last.then(() => this.#index(threads));
    this.#last = work.catch(() => {});
    return work;
  }

  /** Reads the modification times that an order needs. */
  async readTimes(threads: readonly PendingThread[]): Promise<void> {
    const slice = createTimeSlices(this.#options.now);
    for (const [at, thread] of threads.entries()) {
      const [file] = thread.files;
      thread.changedAtMs = Math.floor(statusOf(file?.path ?? "")?.mtimeMs ?? 0);
      if (at % BATCH === 0) await slice.pause();
    }
  }

  /** Clears cached bases and failed searches. */
  clearCache(): void {
    this.#bases.clear();
    this.#missing.clear();
  }

  async #index(threads: readonly PendingThread[]): Promise<void> {
    const { backlog, now, isClosed } = this.#options;
    let rows: RolloutRow[] = [];
    let done: PendingThread[] = [];
    let slice = createTimeSlices(now);
    const save = async (): Promise<void> => {
      await this.#put(rows);
      for (const thread of done) if (backlog.has(thread)) backlog.drop(thread);
      rows = [];
      done = [];
      this.#options.onStep();
      await yieldToEventLoop();
      slice = createTimeSlices(now);
    };
    for (const thread of threads) {
      if (isClosed()) return;
      if (!backlog.has(thread)) continue;
      rows.push(...(await this.#heads(thread)));
      done.push(thread);
      if (done.length >= BATCH || slice.isOver()) await save();
    }
    await save();
  }

  async #heads({ threadId, files }: PendingThread): Promise<RolloutRow[]> {
    const { index, indexer, onUnfinished } = this.#options;
    const known = new Map((await index.rolloutsOf(threadId)).map((row) => [row.rolloutId, row]));
    const rows = new Map<string, RolloutRow>();
    for (const found of files) {
      const { rolloutId } = found.name;
      if (rows.has(rolloutId) || this.#isSuperseded(found, known.get(rolloutId))) continue;
      const row = await indexer.head(found, {
        known: async (id) => this.#bases.get(id) ?? (await index.rollout(id)),
        locate: (id) => this.#locate(id),
        keep: (base) => this.#keep(base),
      });
      if (row !== null) rows.set(rolloutId, row);
      else if (indexer.isNew(found.path)) onUnfinished(found.path);
    }
    return [...rows.values()];
  }

  /** Retries rows one by one, so that a row that the index rejects does not fail the others. */
  async #put(rows: readonly RolloutRow[]): Promise<void> {
    const { index, now, onRefused } = this.#options;
    try {
      await index.putHeads(rows);
    } catch {
      for (const row of rows) {
        try {
          await index.putHeads([row]);
        } catch (error) {
          // If no write succeeds, the row is not the cause: this write fails too and throws.
          await index.setNote("fill", `${now()}`);
          onRefused(row.path, messageOf(error));
        }
      }
    }
  }

  /** Whether the index has a file with the same id that takes precedence and still exists. */
  #isSuperseded(found: FoundRollout, row: RolloutRow | undefined): boolean {
    if (row === undefined) return false;
    if (row.path === found.path) return true;
    const { home } = this.#options;
    const other = foundAt(home, row.path);
    const isHere = [sessionsFolder(home), archivedFolder(home)].some((root) =>
      row.path.startsWith(`${root}/`),
    );
    return (
      isHere &&
      other !== null &&
      statusOf(row.path)?.isFile() === true &&
      compareCurrentFirst(other, found) < 0
    );
  }

  async #locate(rolloutId: string): Promise<FoundRollout | null> {
    const pending = this.#options.backlog.file(rolloutId);
    if (pending !== null || this.#missing.has(rolloutId) || this.#missing.size >= MAX_SEARCHES)
      return pending;
    const found = await findRolloutById(this.#options.home, rolloutId);
    if (found === null) this.#missing.add(rolloutId);
    return found;
  }

  #keep(row: RolloutRow): void {
    const [oldest] = this.#bases.keys();
    if (this.#bases.size >= MAX_BASES && oldest !== undefined) this.#bases.delete(oldest);
    this.#bases.set(row.rolloutId, row);
  }
}
