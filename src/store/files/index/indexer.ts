/**
 * Updates the index from the files. Calls for the same file share one run, which starts where the index stands; if
 * another process was faster, its result is used.
 */
import { basename, dirname } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { noHistory } from "../../lines/history-step.ts";
import { type FoldedFacts, foldFacts, noFacts } from "../../lines/thread-facts.ts";
import type { HistoryBase } from "../rollout/file-meta.ts";
import { type FoundRollout, findRolloutById, findThreadRollout } from "../rollout/find-rollouts.ts";
import { type FaultList, openRollout, readLineage } from "../rollout/reader.ts";
import type { RolloutFiles } from "../rollout/rollout-files.ts";
import { archivedFolder, isPacked, parseRolloutName } from "../rollout/rollout-name.ts";
import type { HistoryIndex, RolloutRow, ThreadEntry } from "./history-index.ts";
import { Folding } from "./index-changes.ts";
import { type BaseSource, headWithBase, inheritedFacts, MAX_FILES } from "./read-head.ts";
import { createRevertWatcher, type RevertWatcher, statusOf } from "./rollout-folders.ts";

export interface IndexerOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly faults: FaultList;
  readonly clock: Pick<Clock, "now">;
  readonly files: RolloutFiles;
}

const NEW_MS = 5000;
/** Rows per transaction, which blocks all other work. */
const MAX_CHANGES = 1000;
const ATTEMPTS = 5;

export class Indexer {
  readonly #now: () => number;
  readonly #reverts: RevertWatcher;
  readonly #home: string;
  readonly #index: HistoryIndex;
  readonly #faults: FaultList;
  readonly #files: RolloutFiles;
  readonly #running = new Map<string, Promise<RolloutRow | null>>();

  constructor({ home, index, faults, clock, files }: IndexerOptions) {
    this.#now = () => clock.now();
    this.#reverts = createRevertWatcher(home, this.#now);
    this.#home = home;
    this.#index = index;
    this.#faults = faults;
    this.#files = files;
  }

  /** The row of a file from its head and tail; null if it is unreadable. */
  async head(found: FoundRollout, bases: Partial<BaseSource> = {}): Promise<RolloutRow | null> {
    const read = await headWithBase(found, {
      files: this.#files,
      known: (rolloutId) => this.#knownRollout(rolloutId),
      locate: (rolloutId) => findRolloutById(this.#home, rolloutId),
      ...bases,
    });
    if (read.kind === "row") return read.row;
    if (!this.isNew(found.path)) this.#faults.file(found.path, read.reason);
    return null;
  }

  /** The row of a thread's current file; searches the disk if the index has none. */
  async currentRow(threadId: string): Promise<RolloutRow | null> {
    const known = await this.#knownThread(threadId);
    if (known !== null && exists(known.row.path)) return known.row;
    const found = await findThreadRollout(this.#home, threadId);
    if (found === null && known !== null) await this.#index.remove([known.row.rolloutId]);
    return this.#adopt(found);
  }

  async rowOfRollout(rolloutId: string): Promise<RolloutRow | null> {
    const known = await this.#knownRollout(rolloutId);
    if (known !== null) return known;
    const found = await findRolloutById(this.#home, rolloutId);
    // The index must know a thread by its current file, or not at all.
    if (found !== null) await this.currentRow(found.name.threadId);
    return (await this.#knownRollout(rolloutId)) ?? this.#adopt(found);
  }

  /**
   * Indexes a file outside of the home. It must be self-contained, because the base of a file is looked up in the home.
   */
  async adopt(path: string): Promise<void> {
    const found = foundAt(this.#home, path);
    if (found === null || (await this.currentRow(found.name.threadId)) !== null) return;
    const row = await this.head(found);
    if (row?.facts.historyMode === "legacy" && row.base === null) await this.#index.putHeads([row]);
  }

  /** Whether the file is so new that its first line may still be missing. */
  isNew(path: string): boolean {
    const status = statusOf(path);
    const age = status?.isFile() === true ? this.#now() - status.mtimeMs : -1;
    return age >= 0 && age < NEW_MS;
  }

  /** Reads head and tail of a file again. */
  async refresh({ path }: Pick<RolloutRow, "path">): Promise<void> {
    await this.#adopt(foundAt(this.#home, path));
  }

  /** Indexes the lines that were added to the file; null if the file is gone. */
  catchUp(row: RolloutRow): Promise<RolloutRow | null> {
    const known = this.#running.get(row.rolloutId);
    if (known !== undefined) return known;
    const work = this.#indexFile(row).finally(() => this.#running.delete(row.rolloutId));
    this.#running.set(row.rolloutId, work);
    return work;
  }

  /** The facts that a file inherits from its base up to the position where it continues. */
  async factsBefore(
    base: HistoryBase | null,
    threadId: string,
    seen: readonly string[] = [],
  ): Promise<FoldedFacts> {
    if (base === null || seen.includes(base.thread_id) || seen.length >= MAX_FILES) return noFacts;
    const row = await this.rowOfRollout(base.thread_id);
    if (row === null) return noFacts;
    if (row.indexedBytes === base.end_byte_offset) return inheritedFacts(row, threadId);
    let facts = await this.factsBefore(row.base, row.threadId, [...seen, base.thread_id]);
    for await (const { line } of readLineage(this.#files, [{ path: row.path, to: base.end_byte_offset }])) {
      facts = foldFacts(facts, line);
    }
    return inheritedFacts({ ...row, facts }, threadId);
  }

  async #knownRollout(rolloutId: string): Promise<RolloutRow | null> {
    const known = await this.#index.rollout(rolloutId);
    return known !== null && exists(known.path) ? known : null;
  }

  /** The index entry of a thread, after the reverts by other programs. */
  async #knownThread(threadId: string): Promise<ThreadEntry | null> {
    const known = await this.#index.current(threadId);
    if (known === null) return null;
    let hasReverts = false;
    await this.#reverts.findReverts(threadId, (found) => {
      hasReverts = true;
      return this.#addIfUnknown(found);
    });
    return hasReverts ? this.#index.current(threadId) : known;
  }

  async #addIfUnknown(found: FoundRollout): Promise<void> {
    if ((await this.#index.rollout(found.name.rolloutId)) === null) await this.#adopt(found);
  }

  async #adopt(found: FoundRollout | null): Promise<RolloutRow | null> {
    const row = found === null ? null : await this.head(found);
    if (row === null) return null;
    await this.#index.putHeads([row]);
    return this.#index.rollout(row.rolloutId);
  }

  async #indexFile(row: RolloutRow): Promise<RolloutRow | null> {
    let known: RolloutRow = row;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const status = statusOf(known.path);
      if (status === null) return null;
      const isSame = isContinued(known, status);
      if (isSame && known.indexedBytes > 0 && known.size === status.size) return known;
      const state = isSame && known.indexedBytes > 0 ? await this.#index.state(known.rolloutId) : null;
      const from = state === null ? null : known.indexedBytes;
      const file = { size: status.size, inode: status.ino, mtimeMs: status.mtimeMs };
      const folding = new Folding(
        { ...known, ...file, ...(from === null ? { recencyAtMs: 0, indexedBytes: 0 } : {}) },
        state === null
          ? { ...noHistory, facts: await this.factsBefore(known.base, known.threadId) }
          : { ...state, facts: known.facts },
      );
      if (await this.#foldFile(folding, from)) return folding.row;
      known = (await this.#index.rollout(known.rolloutId)) ?? known;
    }
    return known;
  }

  /** False if another process changed the index meanwhile. */
  async #foldFile(folding: Folding, from: number | null): Promise<boolean> {
    const { path } = folding.row;
    const opened = await openRollout(this.#files, path, { onFault: (fault) => this.#faults.line(fault) });
    if (opened.kind === "unreadable") {
      this.#faults.file(path, opened.message);
      return true;
    }
    // Lines that are added during the read are left for the next call. A packed file does not grow, and its offsets are
    // those of the unpacked content.
    const size = isPacked(path) ? await opened.reader.size() : folding.row.size;
    let start = from;
    const save = async (): Promise<boolean> => {
      const { facts: _facts, ...state } = folding.state;
      const { row, changes } = folding;
      const applied = await this.#index.apply({ row, state, from: start, changes });
      start = row.indexedBytes;
      folding.changes = [];
      return applied;
    };
    try {
      for await (const line of opened.reader.lines({ from: from ?? 0, to: size })) {
        folding.fold(line);
        if (folding.changes.length >= MAX_CHANGES && !(await save())) return false;
      }
      // Unreadable lines count as indexed, except for an unterminated last one, which may still grow.
      const end = await opened.reader.endOfLines(size);
      folding.row = { ...folding.row, indexedBytes: Math.max(end, folding.row.indexedBytes) };
      updateTimes(folding, from === null);
      return await save();
    } finally {
      await opened.reader.close();
    }
  }
}

/** Whether the file is unchanged or has only grown. The size of a packed file does not tell how many lines it has. */
function isContinued(
  { path, inode, size, indexedBytes }: RolloutRow,
  status: { readonly ino: number; readonly size: number },
): boolean {
  if (inode !== status.ino) return false;
  return isPacked(path) ? size === status.size : status.size >= indexedBytes;
}

/** A file that other programs wrote is as recent as its modification time, whatever its lines contain. */
function updateTimes(folding: Folding, isWhole: boolean): void {
  const updatedAtMs = Math.floor(folding.row.mtimeMs);
  folding.state = { ...folding.state, facts: { ...folding.state.facts, updatedAtMs } };
  folding.row = {
    ...folding.row,
    facts: { ...folding.row.facts, updatedAtMs },
    ...(isWhole ? { recencyAtMs: updatedAtMs } : {}),
  };
}

function exists(path: string): boolean {
  return statusOf(path)?.isFile() === true;
}

/** The rollout at a path that a client or the index names; null if the name is not a rollout's. */
export function foundAt(home: string, path: string): FoundRollout | null {
  const name = parseRolloutName(basename(path));
  return name === null ? null : { path, name, archived: dirname(path) === archivedFolder(home) };
}
