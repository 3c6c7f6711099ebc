/** The threads that this process writes to: new ones, resumed ones and forks. */
import type { Clock } from "../../../base/clock.ts";
import { osErrorText } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import { noHistory } from "../../lines/history-step.ts";
import type { SessionMeta } from "../../lines/line.ts";
import { type FoldedFacts, longFacts, noFacts } from "../../lines/thread-facts.ts";
import type { ThreadOrigin } from "../../lines/thread-lines.ts";
import type { UnrecordedEnd } from "../../pages/history-reader.ts";
import {
  activeWriter,
  archivedThread,
  missingThread,
  type StoreRefusal,
  storeRefusal,
} from "../../refusal.ts";
import type { OpenedThread, OpenOptions } from "../../thread-store.ts";
import type { HistoryIndex, RolloutRow } from "../index/history-index.ts";
import type { Indexer } from "../index/indexer.ts";
import { newRow } from "../index/read-head.ts";
import { type FileOrigin, fileMeta } from "../rollout/file-meta.ts";
import { findRolloutById } from "../rollout/find-rollouts.ts";
import { type FaultList, openRollout } from "../rollout/reader.ts";
import type { RolloutFiles } from "../rollout/rollout-files.ts";
import { isPacked, rolloutPath } from "../rollout/rollout-name.ts";
import { RolloutWriter, type WriterOptions } from "../rollout/writer.ts";
import type { EffectStore } from "./effect-store.ts";
import { isLegacy } from "./file-fork-point.ts";
import { FileJournal, type FileJournalOptions } from "./file-journal.ts";
import type { FileLeases } from "./file-leases.ts";
import { generationOf } from "./generations.ts";
import { unpackInPlace } from "./pack-thread.ts";
import { recallHistory } from "./recall-history.ts";
import { findSpans } from "./spans.ts";

export interface ThreadWriterOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly leases: FileLeases;
  readonly faults: FaultList;
  readonly files: RolloutFiles;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  readonly durability: "os" | "fsync";
  readonly effects: EffectStore;
}

export class ThreadWriter {
  readonly #options: ThreadWriterOptions;
  readonly #journals = new Map<string, FileJournal>();
  /** The turn without an end at the opening of each journal. */
  readonly #unfinishedTurns = new WeakMap<FileJournal, string>();

  constructor(options: ThreadWriterOptions) {
    this.#options = options;
  }

  create(origin: ThreadOrigin, historyMode: FileOrigin["historyMode"] = "paginated"): FileJournal {
    return this.begin({ ...origin, createdAtMs: this.#options.clock.now(), historyMode }, noFacts);
  }

  async open(threadId: string, { takeOver = false }: OpenOptions = {}): Promise<OpenedThread | StoreRefusal> {
    const { indexer, leases } = this.#options;
    if (this.#journals.has(threadId)) return activeWriter(threadId);
    const row = await indexer.currentRow(threadId);
    if (row === null) return missingThread(threadId);
    if (row.archived) return archivedThread(threadId);
    const lease = await leases.acquire(threadId, takeOver ? "takeOver" : "ifFree");
    if (lease.kind === "elsewhere") return activeWriter(threadId);
    const opened = await readable(threadId, () => this.#resume(threadId));
    if (opened.kind === "refused") await leases.release(lease.fence);
    return opened;
  }

  /** The journal of a thread whose file does not exist yet; `facts` are inherited from its base. */
  begin(origin: FileOrigin, facts: FoldedFacts): FileJournal {
    const { home } = this.#options;
    const { threadId, createdAtMs, historyBase = null, historyMode } = origin;
    const path = rolloutPath(home, { threadId, createdAtMs });
    const firstOrdinal = historyBase?.end_ordinal_exclusive ?? 0;
    const legacy = historyMode === "legacy";
    const row = { ...newRow(path), base: historyBase };
    const writer = this.#openWriter(row, { firstOrdinal, legacy, knownSize: 0 });
    const state = { ...noHistory, facts };
    const { generation = 0, mayExist = false } = origin;
    const parts = { state, generation, meta: fileMeta(origin), writer, isLegacy: legacy };
    return this.#keep(row, parts, mayExist);
  }

  /** The journal of a thread that this process writes to. */
  journal(threadId: string): FileJournal | null {
    return this.#journals.get(threadId) ?? null;
  }

  /** Turns that have ended without an end in the file. */
  endedTurns(threadId: string): UnrecordedEnd[] {
    const journal = this.#journals.get(threadId);
    if (journal === undefined) return [];
    const cut = this.#unfinishedTurns.get(journal);
    return [...(cut === undefined ? [] : [{ turnId: cut, error: null }]), ...journal.deferredEnds];
  }

  /** Updates the index for one thread or for all. */
  async flush(threadId?: string): Promise<void> {
    const wanted = threadId === undefined ? [...this.#journals.values()] : [this.#journals.get(threadId)];
    for (const journal of wanted) await journal?.flush();
  }

  async close(): Promise<void> {
    for (const journal of this.#journals.values()) await journal.close();
  }

  /**
   * Acquires the lease of a thread that has no file. The process that makes the file holds the lease, so the check is
   * exact.
   */
  async #claimUnmade(threadId: string): Promise<boolean> {
    const { leases, indexer } = this.#options;
    const lease = await leases.acquire(threadId, "ifFree");
    if (lease.kind === "elsewhere") return false;
    if ((await indexer.currentRow(threadId)) === null) return true;
    await leases.release(lease.fence);
    return false;
  }

  async #resume(threadId: string): Promise<OpenedThread | StoreRefusal> {
    const { index, indexer } = this.#options;
    const found = await findSpans(indexer, threadId);
    if (found.kind === "refused") return found;
    const { current, spans } = found;
    // Another process may have archived it before the lease was acquired.
    if (current.archived) return archivedThread(threadId);
    if (isPacked(current.path)) {
      await unpackInPlace(this.#options, current);
      return this.#resume(threadId);
    }
    const meta = await firstLine(this.#options.files, current.path);
    const folded = (await index.state(current.rolloutId)) ?? noHistory;
    const writer = this.#openWriter(current, { knownSize: current.indexedBytes });
    const state = { ...folded, facts: current.facts };
    const generation = await generationOf(this.#options, current);
    const parts = { state, generation, meta: null, writer, isLegacy: isLegacy(current) };
    const journal = this.#keep(current, parts);
    const facts = { ...current.facts, ...(meta === null ? {} : longFacts(meta)) };
    const recalled = await recallHistory(this.#options, { facts, spans, marker: null });
    if (recalled.unfinishedTurnId !== null) this.#unfinishedTurns.set(journal, recalled.unfinishedTurnId);
    return { kind: "open", journal, ...recalled };
  }

  #openWriter(
    { threadId, rolloutId, path }: RolloutRow,
    options: Pick<WriterOptions, "firstOrdinal" | "legacy" | "knownSize">,
  ): RolloutWriter {
    const { home, clock, durability, leases } = this.#options;
    return new RolloutWriter({
      ...options,
      path,
      clock,
      durability,
      isOurs: () => leases.confirmHeld(threadId),
      // A missing file is restored only if it was not moved within the home. `isOurs` has already confirmed the lease.
      restore: {
        may: async () => (await findRolloutById(home, rolloutId)) === null,
        done: () => this.#journals.get(threadId)?.restored(),
      },
    });
  }

  #keep(
    row: RolloutRow,
    parts: Pick<FileJournalOptions, "state" | "generation" | "meta" | "writer" | "isLegacy">,
    mayExist = false,
  ): FileJournal {
    const { leases, index } = this.#options;
    const { threadId, rolloutId } = row;
    const journal = new FileJournal({
      ...this.#options,
      ...parts,
      row,
      fence: () => leases.fence(threadId),
      claim: async () => {
        if (mayExist) return this.#claimUnmade(threadId);
        await leases.claim(threadId);
        return true;
      },
      onContinue: (turnId) => {
        if (this.#unfinishedTurns.get(journal) === turnId) this.#unfinishedTurns.delete(journal);
      },
      onClose: async () => {
        if (this.#journals.get(threadId) === journal) this.#journals.delete(threadId);
        await leases.releaseHeld(threadId);
      },
    });
    this.#journals.set(threadId, journal);
    leases.watch(threadId, async () => {
      // A revert by another program leaves this file unchanged and continues in another one.
      const current = (await index.current(threadId))?.row.rolloutId ?? rolloutId;
      return current === rolloutId && parts.writer.isUntouched();
    });
    return journal;
  }
}

export async function firstLine(files: RolloutFiles, path: string): Promise<SessionMeta | null> {
  const opened = await openRollout(files, path);
  if (opened.kind === "unreadable") return null;
  try {
    for await (const { line } of opened.reader.lines()) {
      return line.type === "session_meta" ? (line.payload as SessionMeta) : null;
    }
    return null;
  } finally {
    await opened.reader.close();
  }
}

/** Converts a read error to a refusal. */
export async function readable<T>(
  threadId: string,
  work: () => Promise<T | StoreRefusal>,
): Promise<T | StoreRefusal> {
  try {
    return await work();
  } catch (error) {
    const text = `the history of thread ${threadId} cannot be read: ${osErrorText(error)}`;
    return storeRefusal("unreadable", text);
  }
}
