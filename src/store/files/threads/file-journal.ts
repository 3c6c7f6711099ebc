/**
 * The journal of one thread. An append is in the file once it resolves; the index is updated shortly after, from the
 * lines in memory. If the index turns out to be at another position, it is updated from the file.
 */
import { statSync } from "node:fs";
import { type Awaitable, whenReady } from "../../../base/awaitable.ts";
import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import {
  type AppendOutcome,
  type DeferredTurnEnd,
  type Effect,
  type Journal,
  madeElsewhere,
  NO_EFFECTS,
  type PersistOutcome,
} from "../../journal.ts";
import type { Fence } from "../../leases.ts";
import type { LinePosition } from "../../line-position.ts";
import { type HistoryState, noHistory } from "../../lines/history-step.ts";
import type { LineBody } from "../../lines/line.ts";
import type { ThreadFacts } from "../../lines/thread-facts.ts";
import type { HistoryIndex, RolloutRow } from "../index/history-index.ts";
import { Folding } from "../index/index-changes.ts";
import type { Indexer } from "../index/indexer.ts";
import { toLegacyLines } from "../rollout/legacy-lines.ts";
import { unavailable } from "../rollout/write-fault.ts";
import type { RolloutWriter, WrittenLine } from "../rollout/writer.ts";
import type { EffectStore } from "./effect-store.ts";

export interface FileJournalOptions {
  readonly row: RolloutRow;
  readonly state: HistoryState | null;
  /** The generation of the file's lines. */
  readonly generation: number;
  readonly writer: RolloutWriter;
  /** Whether the file has the legacy format. */
  readonly isLegacy: boolean;
  /** The first line of a file that does not exist yet; null for an existing one. */
  readonly meta: LineBody | null;
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly fence: () => Fence | null;
  /** Acquires the lease of a new thread before its file becomes visible; false if another process has made it. */
  readonly claim: () => Promise<boolean>;
  readonly effects: EffectStore;
  /** Called when the turn without an end is continued. */
  readonly onContinue: (turnId: string) => void;
  readonly onClose: () => Promise<void>;
}

/** Written lines that are not folded into the index yet. */
interface PendingLines {
  readonly bodies: readonly LineBody[];
  readonly lines: readonly WrittenLine[];
  readonly timeMs: number;
}

/** Readers in this process flush the index first, so that only other processes see this delay. */
const INDEX_AFTER_MS = 3000;
const MAX_PENDING = 512;

export class FileJournal implements Journal {
  readonly threadId: string;
  readonly location: string;
  readonly #options: FileJournalOptions;
  readonly #folding: Folding;
  /** The position of the next line; the line number in files without ordinals. */
  #nextSeq: number;
  #pending: PendingLines[] = [];
  #pendingCount = 0;
  #meta: LineBody | null;
  #beginning: Promise<AppendOutcome> | null = null;
  #indexedBytes: number;
  #hasIndexedMessage: boolean;
  #cancelTimer: (() => void) | null = null;
  #indexing: Promise<void> = Promise.resolve();
  #deferred: readonly DeferredTurnEnd[] = [];
  /** Effects whose lines are in the file, and which are not applied to the database yet. */
  #effects: readonly Effect[] = NO_EFFECTS;
  /** The warning for the next successful append. */
  #warning: string | null = null;

  constructor(options: FileJournalOptions) {
    const { row, state, meta } = options;
    this.#options = options;
    this.threadId = row.threadId;
    this.location = row.path;
    this.#folding = new Folding(row, state ?? { ...noHistory, facts: row.facts });
    this.#nextSeq = (row.base?.end_ordinal_exclusive ?? 0) + this.#folding.state.lines;
    this.#meta = meta;
    this.#indexedBytes = row.indexedBytes;
    this.#hasIndexedMessage = row.facts.preview !== "";
  }

  get fence(): Fence | null {
    return this.#options.fence();
  }

  next(): LinePosition | null {
    const { isLegacy, generation } = this.#options;
    return isLegacy ? null : { generation, seq: this.#nextSeq };
  }

  /** Turns that have ended without an end in the file. */
  get deferredEnds(): readonly DeferredTurnEnd[] {
    return this.#deferred;
  }

  /** Called after the writer has restored the file. */
  restored(): void {
    const path = this.location;
    this.#options.log.warn("the file of a thread was missing and has been restored", {
      threadId: this.threadId,
      path,
    });
    this.#warning = `The file of this thread was missing. It has been restored, with all of its history: ${path}`;
  }

  deferTurnEnd(end: DeferredTurnEnd): void {
    this.#deferred = [...this.#deferred, end];
  }

  continueTurn(turnId: string): void {
    this.#options.onContinue(turnId);
  }

  async persist(): Promise<PersistOutcome> {
    if (this.#meta !== null) {
      const outcome = await this.append([]);
      if (outcome.kind !== "kept") return outcome;
    }
    const failure = await this.#flushEffects();
    if (failure !== null) return unavailable(this.location, failure);
    const { fence } = this;
    if (fence !== null) return { kind: "persisted", fence };
    return unavailable(this.location, new Error("its lease could not be acquired"));
  }

  /** A failed effect is retried by the next append, else by the next process that opens the thread. */
  async #flushEffects(): Promise<unknown> {
    const { fence } = this;
    const effects = this.#effects;
    if (effects.length === 0 || fence === null) return null;
    try {
      await this.#options.effects.apply(fence, effects);
      this.#effects = this.#effects.slice(effects.length);
      return null;
    } catch (error) {
      const reason = messageOf(error);
      this.#options.log.error("effects of appended lines could not be applied", {
        threadId: this.threadId,
        reason,
      });
      return error;
    }
  }

  append(bodies: readonly LineBody[], effects = NO_EFFECTS): Awaitable<AppendOutcome> {
    const hasEffects = effects.length > 0 || this.#effects.length > 0;
    return hasEffects ? this.#appendWithEffects(bodies, effects) : this.#appendLines(bodies);
  }

  async #appendWithEffects(bodies: readonly LineBody[], effects: readonly Effect[]): Promise<AppendOutcome> {
    const { effects: store } = this.#options;
    // Begun before the lines are written, and not awaited, so that the lines keep their place among other appends.
    const prepared = store.prepare(effects);
    const outcome = await this.#appendLines(bodies);
    await prepared;
    if (outcome.kind !== "kept") {
      await store.drop(effects);
      return outcome;
    }
    this.#effects = [...this.#effects, ...effects];
    await this.#flushEffects();
    return outcome;
  }

  #appendLines(bodies: readonly LineBody[]): Awaitable<AppendOutcome> {
    const isPlain = this.#beginning === null && this.#deferred.length === 0 && this.#meta === null;
    return isPlain ? this.#write([], bodies) : this.#appendInOrder(bodies);
  }

  /** After the session line of a new file, and after deferred turn ends. */
  async #appendInOrder(bodies: readonly LineBody[]): Promise<AppendOutcome> {
    // If the first write fails, no other line may become the first one of the file.
    while (this.#beginning !== null) await this.#beginning.catch(() => {});
    if (this.#deferred.length > 0) return this.#flushDeferred(this.#deferred, bodies);
    if (this.#meta === null) return this.#write([], bodies);
    const begun = this.#begin(this.#meta, bodies);
    this.#beginning = begun;
    return begun;
  }

  facts(): ThreadFacts {
    this.#foldPending();
    return this.#folding.state.facts;
  }

  /** Updates the index to the end of the file. */
  async flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#indexing = this.#indexing.then(() => this.#updateIndex());
    await this.#indexing;
  }

  async close(): Promise<void> {
    if (this.#deferred.length > 0) await this.append([]);
    await this.#flushEffects();
    await this.#options.writer.close();
    await this.flush();
    await this.#options.onClose();
  }

  async #begin(meta: LineBody, bodies: readonly LineBody[]): Promise<AppendOutcome> {
    try {
      if (!(await this.#options.claim())) return madeElsewhere(this.threadId);
      const outcome = await this.#write([meta], bodies);
      if (outcome.kind === "kept") this.#meta = null;
      return outcome;
    } finally {
      // After a failure, the next append tries again.
      this.#beginning = null;
    }
  }

  async #flushDeferred(
    deferred: readonly DeferredTurnEnd[],
    bodies: readonly LineBody[],
  ): Promise<AppendOutcome> {
    this.#deferred = [];
    const ends = deferred.map(({ line }) => line);
    const outcome = await this.#write(ends, bodies);
    if (outcome.kind !== "kept") this.#deferred = [...deferred, ...this.#deferred];
    return outcome;
  }

  /** Writes both groups of lines as one append, and returns the position of the given ones. */
  #write(before: readonly LineBody[], given: readonly LineBody[]): Awaitable<AppendOutcome> {
    const { isLegacy, clock, writer } = this.#options;
    const inFile = (bodies: readonly LineBody[]) => (isLegacy ? bodies.flatMap(toLegacyLines) : bodies);
    const lead = inFile(before);
    const bodies = lead.length === 0 ? inFile(given) : [...lead, ...inFile(given)];
    const timeMs = clock.now();
    return whenReady(writer.append(bodies), (outcome) => {
      if (outcome.kind !== "written") return outcome;
      const start = outcome.lines[0]?.ordinal ?? this.#nextSeq;
      this.#nextSeq = start + bodies.length;
      this.#keep(bodies, outcome.lines, timeMs);
      return whenReady(this.#listFirstMessage(), () => this.#kept(start + lead.length));
    });
  }

  #kept(firstSeq: number): AppendOutcome {
    const warning = this.#warning;
    if (warning === null) return { kind: "kept", firstSeq };
    this.#warning = null;
    return { kind: "kept", firstSeq, warning };
  }

  /**
   * Lists hide a thread without an indexed message and do not read its file again. Therefore the first message is
   * indexed at once, in case this process dies.
   */
  #listFirstMessage(): Awaitable<void> {
    const isHidden = this.#indexedBytes > 0 && !this.#hasIndexedMessage;
    if (isHidden && this.facts().preview !== "") return this.flush();
  }

  #keep(bodies: readonly LineBody[], lines: readonly WrittenLine[], timeMs: number): void {
    this.#pending.push({ bodies, lines, timeMs });
    this.#pendingCount += bodies.length;
    const { clock } = this.#options;
    if (this.#pendingCount >= MAX_PENDING) void this.flush();
    else this.#cancelTimer ??= clock.after(INDEX_AFTER_MS, () => void this.flush());
  }

  #foldPending(): void {
    const groups = this.#pending;
    this.#pending = [];
    this.#pendingCount = 0;
    for (const { bodies, lines, timeMs } of groups) {
      const timestamp = new Date(timeMs).toISOString();
      for (const [at, { ordinal, offset, length }] of lines.entries()) {
        const body = bodies[at] as LineBody;
        const line = ordinal === null ? { timestamp, ...body } : { timestamp, ordinal, ...body };
        this.#folding.fold({ path: this.location, line, offset, length });
      }
    }
  }

  /** Never fails, because callers flush several threads in sequence. */
  async #updateIndex(): Promise<void> {
    const folding = this.#folding;
    try {
      this.#foldPending();
      if (folding.row.indexedBytes !== this.#indexedBytes) await this.#applyChanges();
    } catch (error) {
      // The next reader indexes the lines from the file.
      folding.changes = [];
      this.#indexedBytes = folding.row.indexedBytes;
      const reason = messageOf(error);
      this.#options.log.warn("the index could not be updated", { threadId: this.threadId, reason });
    }
  }

  async #applyChanges(): Promise<void> {
    const folding = this.#folding;
    const { index, indexer } = this.#options;
    // Synchronous, as `statusOf`: it runs once for each thread that a list waits for. If the file is inaccessible, the
    // old values make the next check read it again.
    const status = statSync(this.location, { throwIfNoEntry: false });
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
    this.#hasIndexedMessage = row.facts.preview !== "";
    if (!applied) await indexer.catchUp((await index.rollout(row.rolloutId)) ?? { ...row, indexedBytes: 0 });
  }
}
