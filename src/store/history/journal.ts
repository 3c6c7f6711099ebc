/**
 * The writing side of one thread. What is appended is in the file when the append has settled; the index follows a
 * moment later, from the lines that are still at hand. Should the index turn out to stand elsewhere, it is brought up
 * to date from the file.
 */
import { statSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { TurnError } from "../../protocol/generated/types.ts";
import type { HistoryIndex, RolloutRow } from "../history-index.ts";
import { type HistoryState, noHistory } from "../rollout/history-step.ts";
import { toLegacyLines } from "../rollout/legacy-lines.ts";
import type { LineBody } from "../rollout/line.ts";
import type { ThreadFacts } from "../rollout/thread-facts.ts";
import { takenOver, type WriteFault } from "../rollout/write-fault.ts";
import type { AppendOutcome, RolloutWriter, WrittenLine } from "../rollout/writer.ts";
import { type Folding, foldLine } from "./index-changes.ts";
import type { Indexer } from "./indexer.ts";

export interface ThreadJournal {
  readonly threadId: string;
  readonly path: string;
  /** Whether the file exists, and with it the thread. */
  readonly isDurable: boolean;
  /**
   * Writes the lines, the thread's first line before them if the file is new; the answer is about the given ones. An
   * append that fails takes those with it that were made before anybody knew.
   */
  append(bodies: readonly LineBody[]): Promise<AppendOutcome>;
  /** A turn has ended, and its end cannot be written: it goes before what is written next. */
  owe(end: OwedEnd): void;
  /** Calls back whenever the file was gone and has been written anew. */
  onRestored(heard: () => void): void;
  /** What the lines so far say of the thread. */
  facts(): ThreadFacts;
  /** Has the index where the file is. */
  settle(): Promise<void>;
  /** Writes what waits, and gives the thread back. */
  close(): Promise<void>;
}

/** The end of a turn that the file does not have yet. */
export interface OwedEnd {
  readonly turnId: string;
  readonly line: LineBody;
  /** Null: it was interrupted. */
  readonly error: TurnError | null;
}

export interface JournalOptions {
  readonly row: RolloutRow;
  readonly state: HistoryState | null;
  readonly writer: RolloutWriter;
  /** Whether the file is of the old kind. */
  readonly isLegacy: boolean;
  /** The first line, of a file that does not exist yet. */
  readonly meta: LineBody | null;
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly clock: Clock;
  readonly log: Logger;
  /** Makes a new thread ours, before its file shows it to others. */
  readonly claim: () => Promise<void>;
  readonly onClose: () => Promise<void>;
}

interface Pending {
  readonly body: LineBody;
  readonly written: WrittenLine;
  readonly timeMs: number;
}

/** Whoever reads here has the index settled first; only other processes see it lag. */
const INDEX_AFTER_MS = 3000;
const MAX_PENDING = 512;

export class Journal implements ThreadJournal {
  readonly threadId: string;
  readonly path: string;
  readonly #options: JournalOptions;
  readonly #folding: Folding;
  #pending: Pending[] = [];
  #meta: LineBody | null;
  #beginning: Promise<AppendOutcome> | null = null;
  #indexedBytes: number;
  #cancelTimer: (() => void) | null = null;
  #indexing: Promise<void> = Promise.resolve();
  #lost: WriteFault | null = null;
  #owed: readonly OwedEnd[] = [];
  #heardRestored = () => {};

  constructor(options: JournalOptions) {
    const { row, state, meta } = options;
    this.#options = options;
    this.threadId = row.threadId;
    this.path = row.path;
    this.#folding = { row, state: state ?? { ...noHistory, facts: row.facts }, changes: [] };
    this.#meta = meta;
    this.#indexedBytes = row.indexedBytes;
  }

  get isDurable(): boolean {
    return this.#meta === null;
  }

  /** Turns that have ended although the file does not say so. */
  get owed(): readonly OwedEnd[] {
    return this.#owed;
  }

  onRestored(heard: () => void): void {
    this.#heardRestored = heard;
  }

  /** The writer has written the file anew. */
  restored(): void {
    this.#heardRestored();
  }

  owe(end: OwedEnd): void {
    this.#owed = [...this.#owed, end];
  }

  async append(bodies: readonly LineBody[]): Promise<AppendOutcome> {
    // Should the first write fail, nothing else may become the file's beginning.
    while (this.#beginning !== null) await this.#beginning.catch(() => {});
    if (this.#lost !== null) return { kind: "failed", fault: this.#lost };
    if (this.#owed.length > 0) return this.#repay(this.#owed, bodies);
    if (this.#meta === null) return this.#write(bodies);
    const begun = this.#begin(this.#meta, bodies);
    this.#beginning = begun;
    return begun;
  }

  facts(): ThreadFacts {
    this.#foldPending();
    return this.#folding.state.facts;
  }

  async settle(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#indexing = this.#indexing.then(() => this.#updateIndex());
    await this.#indexing;
  }

  /** From now on nothing is written: another process has the thread. */
  lose(): void {
    this.#lost ??= takenOver(this.path, "has taken over");
  }

  async close(): Promise<void> {
    if (this.#owed.length > 0) await this.append([]);
    await this.#options.writer.close();
    await this.settle();
    await this.#options.onClose();
  }

  async #begin(meta: LineBody, bodies: readonly LineBody[]): Promise<AppendOutcome> {
    try {
      await this.#options.claim();
      const outcome = await this.#write([meta, ...bodies]);
      if (outcome.kind === "failed") return outcome;
      this.#meta = null;
      return { kind: "written", lines: outcome.lines.slice(1) };
    } finally {
      // What could not be begun is tried again by whoever writes next.
      this.#beginning = null;
    }
  }

  async #repay(owed: readonly OwedEnd[], bodies: readonly LineBody[]): Promise<AppendOutcome> {
    this.#owed = [];
    const outcome = await this.#write([...owed.map(({ line }) => line), ...bodies]);
    if (outcome.kind === "written") return { kind: "written", lines: outcome.lines.slice(owed.length) };
    this.#owed = [...owed, ...this.#owed];
    return outcome;
  }

  async #write(given: readonly LineBody[]): Promise<AppendOutcome> {
    const bodies = this.#options.isLegacy ? given.flatMap(toLegacyLines) : given;
    const timeMs = this.#options.clock.now();
    const outcome = await this.#options.writer.append(bodies);
    if (outcome.kind === "written") this.#keep(bodies, outcome.lines, timeMs);
    return outcome;
  }

  #keep(bodies: readonly LineBody[], lines: readonly WrittenLine[], timeMs: number): void {
    for (const [at, body] of bodies.entries()) {
      const written = lines[at];
      if (written !== undefined) this.#pending.push({ body, written, timeMs });
    }
    const { clock } = this.#options;
    if (this.#pending.length >= MAX_PENDING) void this.settle();
    else this.#cancelTimer ??= clock.after(INDEX_AFTER_MS, () => void this.settle());
  }

  #foldPending(): void {
    const lines = this.#pending;
    this.#pending = [];
    for (const { body, written, timeMs } of lines) {
      const { ordinal, offset, length } = written;
      const timestamp = new Date(timeMs).toISOString();
      const line = { timestamp, ...body, ...(ordinal === null ? {} : { ordinal }) };
      foldLine(this.#folding, { path: this.path, line, offset, length });
    }
  }

  /** Never fails: what waits for the index waits for those of other threads as well. */
  async #updateIndex(): Promise<void> {
    const folding = this.#folding;
    try {
      this.#foldPending();
      if (folding.row.indexedBytes !== this.#indexedBytes) await this.#applyChanges();
    } catch (error) {
      // The file has it all, and whoever reads next takes it in.
      folding.changes = [];
      this.#indexedBytes = folding.row.indexedBytes;
      const reason = messageOf(error);
      this.#options.log.warn("the index could not be updated", { threadId: this.threadId, reason });
    }
  }

  async #applyChanges(): Promise<void> {
    const folding = this.#folding;
    const { index, indexer } = this.#options;
    const status = statSync(this.path, { throwIfNoEntry: false });
    const { indexedBytes } = folding.row;
    const row = {
      ...folding.row,
      size: indexedBytes,
      inode: status?.ino ?? folding.row.inode,
      mtimeMs: status?.mtimeMs ?? folding.row.mtimeMs,
    };
    const { facts: _facts, ...state } = folding.state;
    const changes = folding.changes;
    folding.changes = [];
    folding.row = row;
    const applied = await index.apply({ row, state, from: this.#indexedBytes, changes });
    this.#indexedBytes = indexedBytes;
    if (!applied) await indexer.catchUp((await index.rollout(row.rolloutId)) ?? { ...row, indexedBytes: 0 });
  }
}
