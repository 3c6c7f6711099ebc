/** Takes threads out of the backlog into the index, by the beginnings and ends of their files, a moment at a time. */
import { messageOf } from "../../../base/errors.ts";
import { createTimeSlices, yieldToEventLoop } from "../../../base/time-slices.ts";
import { type FoundRollout, findRolloutById } from "../rollout/find-rollouts.ts";
import { archivedFolder, sessionsFolder } from "../rollout/rollout-name.ts";
import { type Backlog, compareCounting, type PendingThread } from "./backlog.ts";
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
  /** Called after each step. */
  readonly onStep: () => void;
  readonly onRefused: (path: string, reason: string) => void;
  /** A file that is just being made has to be looked at again. */
  readonly onUnfinished: (path: string) => void;
}

/** Rows of one write, which others wait for. */
const BATCH = 50;
/** Bases that are kept for the next files that go on from them. */
const MAX_BASES = 1000;
/** Searches for bases that neither the index nor the backlog has; each looks through all folders. */
const MAX_SEARCHES = 100;

export class HeadIndexer {
  readonly #options: HeadIndexerOptions;
  readonly #bases = new Map<string, RolloutRow>();
  readonly #missing = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: HeadIndexerOptions) {
    this.#options = options;
  }

  /** One call at a time reads; threads that another one has taken meanwhile are passed over. */
  take(threads: readonly PendingThread[]): Promise<void> {
    const work = this.#last.then(() => this.#take(threads));
    this.#last = work.catch(() => {});
    return work;
  }

  /** Looks at the times of change that an order needs. */
  async time(threads: readonly PendingThread[]): Promise<void> {
    const slice = createTimeSlices(this.#options.now);
    for (const [at, thread] of threads.entries()) {
      const [file] = thread.files;
      thread.changedAtMs = Math.floor(statusOf(file?.path ?? "")?.mtimeMs ?? 0);
      if (at % BATCH === 0) await slice.pause();
    }
  }

  /** Forgets what was found out about files before. */
  renew(): void {
    this.#bases.clear();
    this.#missing.clear();
  }

  async #take(threads: readonly PendingThread[]): Promise<void> {
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
      if (rows.has(rolloutId) || this.#isKnownBetter(found, known.get(rolloutId))) continue;
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

  /** A row that the index cannot hold must not cost the others their place. */
  async #put(rows: readonly RolloutRow[]): Promise<void> {
    const { index, now, onRefused } = this.#options;
    try {
      await index.putHeads(rows);
    } catch {
      for (const row of rows) {
        try {
          await index.putHeads([row]);
        } catch (error) {
          // Where nothing can be written, no row is to blame.
          await index.setNote("fill", `${now()}`);
          onRefused(row.path, messageOf(error));
        }
      }
    }
  }

  /** Of several files with one id, the index has the one that counts as long as it is there. */
  #isKnownBetter(found: FoundRollout, row: RolloutRow | undefined): boolean {
    if (row === undefined) return false;
    if (row.path === found.path) return true;
    const { home } = this.#options;
    const other = foundAt(home, row.path);
    const isHere = [sessionsFolder(home), archivedFolder(home)].some((root) =>
      row.path.startsWith(`${root}/`),
    );
    return (
      isHere && other !== null && statusOf(row.path)?.isFile() === true && compareCounting(other, found) < 0
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
