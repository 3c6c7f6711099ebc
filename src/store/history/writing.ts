/** The threads that this process writes to: new ones, resumed ones and forks. */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { appendSync } from "../../base/open-regular-file.ts";
import { osErrorText } from "../../base/os-error.ts";
import type { HistoryIndex, RolloutRow } from "../history-index.ts";
import { findRolloutById } from "../rollout/find-rollouts.ts";
import { noHistory } from "../rollout/history-step.ts";
import type { HistoryPosition, LineBody } from "../rollout/line.ts";
import { rolloutPath } from "../rollout/rollout-name.ts";
import { longFacts, noFacts, type ThreadFacts } from "../rollout/thread-facts.ts";
import { responseItem, sessionMeta, type ThreadOrigin } from "../rollout/thread-lines.ts";
import { turnCut } from "../rollout/turn-lines.ts";
import { RolloutWriter, type WriterOptions } from "../rollout/writer.ts";
import { type Boundary, findBranchPoint, isLegacy } from "./branch-point.ts";
import { copyLines } from "./copy-lines.ts";
import { findCutTurn } from "./cut-turn.ts";
import type { FaultList } from "./fault-list.ts";
import type { Indexer } from "./indexer.ts";
import { Journal, type JournalOptions, type ThreadJournal } from "./journal.ts";
import type { Leases } from "./leases.ts";
import type { EndedTurn } from "./page-turns.ts";
import { type InterruptionMarker, type RecalledHistory, recallHistory } from "./recall-history.ts";
import { activeWriter, archivedThread, type Done, missingThread, type Refusal, refuse } from "./refusal.ts";
import { revertThread } from "./revert-thread.ts";
import { findSpans, type Span } from "./spans.ts";
import { firstLine, newRow } from "./thread-files.ts";

export interface OpenedThread extends RecalledHistory {
  readonly kind: "open";
  readonly journal: ThreadJournal;
}

/** A part of a thread's history for a thread that has no file. */
export interface CopiedHistory extends RecalledHistory {
  readonly kind: "copy";
}

export interface OpenOptions {
  /** Takes the thread from whoever writes to it. */
  readonly takeOver?: boolean;
}

/** What a fork's caller decides; the rest comes from the thread that is forked. */
export interface ForkOrigin extends Omit<ThreadOrigin, "forkedFromId" | "historyBase" | "historyMode"> {
  /** Lines that the fork has of its own, such as its settings. */
  readonly opening?: readonly LineBody[];
  readonly marker?: InterruptionMarker;
}

export interface WritingOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly leases: Leases;
  readonly faults: FaultList;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  readonly durability: "os" | "fsync";
}

export class Writing {
  readonly #options: WritingOptions;
  readonly #journals = new Map<string, Journal>();
  /** By journal: the turn that had no end when it was opened. */
  readonly #cutTurns = new WeakMap<ThreadJournal, string>();

  constructor(options: WritingOptions) {
    this.#options = options;
  }

  create(origin: ThreadOrigin): ThreadJournal {
    return this.#begin(origin, noFacts);
  }

  async open(threadId: string, { takeOver = false }: OpenOptions = {}): Promise<OpenedThread | Refusal> {
    const { indexer, leases } = this.#options;
    if (this.#journals.has(threadId)) return activeWriter(threadId);
    const row = await indexer.currentRow(threadId);
    if (row === null) return missingThread(threadId);
    if (row.archived) return archivedThread(threadId);
    const lease = await leases.acquire(threadId, { takeOver });
    if (lease.kind === "theirs") return activeWriter(threadId);
    const opened = await attempt(threadId, () => {
      if (lease.takenOver) markTakenOver(row.path);
      return this.#goOn(threadId);
    });
    if (opened.kind === "refused") await leases.release(threadId);
    return opened;
  }

  fork(threadId: string, boundary: Boundary, origin: ForkOrigin): Promise<OpenedThread | Refusal> {
    return attempt(threadId, async () => {
      const found = await this.#findBranch(threadId, boundary);
      return found.kind === "refused" ? found : this.#branch(found, origin);
    });
  }

  /** As a fork, for a thread that is not kept. */
  copy(threadId: string, boundary: Boundary, marker: InterruptionMarker): Promise<CopiedHistory | Refusal> {
    return attempt(threadId, async () => {
      const found = await this.#findBranch(threadId, boundary);
      if (found.kind === "refused") return found;
      const { current, spans, base } = found;
      const { faults, index, indexer } = this.#options;
      const legacy = isLegacy(current);
      const facts = legacy ? current.facts : await indexer.factsBefore(base, current.threadId);
      const cut = await findCutTurn(index, spans, legacy ? await copyLines(spans, faults) : []);
      const recalled = await recallHistory(this.#options, {
        facts,
        spans,
        marker: cut === null ? null : marker,
      });
      return { kind: "copy", ...recalled };
    });
  }

  async #findBranch(threadId: string, boundary: Boundary) {
    await this.settle(threadId);
    const found = await findSpans(this.#options.indexer, threadId);
    if (found.kind === "refused") return found;
    const { current } = found;
    if (current.archived) return archivedThread(threadId);
    const point = await findBranchPoint(this.#options.index, found.spans, boundary);
    return point.kind === "refused" ? point : { ...point, current };
  }

  async revert(threadId: string, beforeTurnId: string): Promise<Done> {
    return this.#journals.has(threadId)
      ? activeWriter(threadId)
      : revertThread(this.#options, threadId, beforeTurnId);
  }

  /** The journal of a thread that this process writes to. */
  journal(threadId: string): ThreadJournal | null {
    return this.#journals.get(threadId) ?? null;
  }

  /** The turns that have ended, and whose ends are not in the file. */
  endedTurns(threadId: string): EndedTurn[] {
    const journal = this.#journals.get(threadId);
    if (journal === undefined) return [];
    const cut = this.#cutTurns.get(journal);
    return [...(cut === undefined ? [] : [{ turnId: cut, error: null }]), ...journal.owed];
  }

  /** Has the index where the files of one thread, or of all, are. */
  async settle(threadId?: string): Promise<void> {
    const wanted = threadId === undefined ? [...this.#journals.values()] : [this.#journals.get(threadId)];
    for (const journal of wanted) await journal?.settle();
  }

  /** Another process has taken the thread over. */
  lose(threadId: string): void {
    this.#journals.get(threadId)?.lose();
  }

  async close(): Promise<void> {
    for (const journal of this.#journals.values()) await journal.close();
  }

  async #goOn(threadId: string): Promise<OpenedThread | Refusal> {
    const { index, indexer, clock, durability } = this.#options;
    const found = await findSpans(indexer, threadId);
    if (found.kind === "refused") return found;
    const { current, spans } = found;
    const meta = await firstLine(current.path);
    const folded = (await index.state(current.rolloutId)) ?? noHistory;
    const known = { path: current.path, knownSize: current.indexedBytes };
    const restore = this.#restoring(current);
    const writer = new RolloutWriter({ ...known, clock, durability, restore });
    const state = { ...folded, facts: current.facts };
    const journal = this.#keep(current, { state, meta: null, writer, isLegacy: isLegacy(current) });
    const facts = { ...current.facts, ...(meta === null ? {} : longFacts(meta)) };
    return this.#opened(journal, facts, spans);
  }

  async #branch(
    { current: source, base, spans }: Branch,
    { opening = [], marker, ...origin }: ForkOrigin,
  ): Promise<OpenedThread | Refusal> {
    const { faults, indexer, index } = this.#options;
    const legacy = isLegacy(source);
    // A fork of an old thread has no other way than to begin with a copy.
    const copied = legacy ? await copyLines(spans, faults) : [];
    const historyBase = legacy ? null : base;
    const inherited = await indexer.factsBefore(historyBase, origin.threadId);
    const historyMode = legacy ? "legacy" : "paginated";
    const journal = this.#begin(
      { ...origin, forkedFromId: source.threadId, historyBase, historyMode },
      inherited,
    );
    const cut = await findCutTurn(index, spans, copied);
    const told = marker === undefined ? [] : [responseItem(marker)];
    const ending = cut === null ? [] : [...told, turnCut(cut)];
    const outcome = await journal.append([...copied, ...opening, ...ending]);
    if (outcome.kind === "failed") {
      await journal.close();
      return refuse("disk", outcome.fault.message);
    }
    const recalled = await recallHistory(this.#options, {
      facts: journal.facts(),
      spans,
      marker: cut === null ? null : (marker ?? null),
    });
    return { kind: "open", journal, ...recalled };
  }

  async #opened(journal: ThreadJournal, facts: ThreadFacts, spans: readonly Span[]): Promise<OpenedThread> {
    const recalled = await recallHistory(this.#options, { facts, spans, marker: null });
    if (recalled.unfinishedTurnId !== null) this.#cutTurns.set(journal, recalled.unfinishedTurnId);
    return { kind: "open", journal, ...recalled };
  }

  #begin(origin: ThreadOrigin, facts: ThreadFacts): Journal {
    const { home, clock, durability } = this.#options;
    const { threadId, createdAtMs, historyBase = null, historyMode } = origin;
    const path = rolloutPath(home, { threadId, createdAtMs });
    const firstOrdinal = historyBase?.end_ordinal_exclusive ?? 0;
    const legacy = historyMode === "legacy";
    const row = { ...newRow(home, path), base: historyBase };
    const restore = this.#restoring(row);
    const writer = new RolloutWriter({
      path,
      clock,
      durability,
      firstOrdinal,
      legacy,
      knownSize: 0,
      restore,
    });
    const state = { ...noHistory, facts };
    return this.#keep(row, { state, meta: sessionMeta(origin), writer, isLegacy: legacy });
  }

  /** A file that is gone, and neither lies elsewhere in the home nor belongs to another process, is missed by all. */
  #restoring({ threadId, rolloutId }: RolloutRow): NonNullable<WriterOptions["restore"]> {
    const { home, leases } = this.#options;
    return {
      may: async () => (await findRolloutById(home, rolloutId)) === null && (await leases.confirm(threadId)),
      done: () => this.#journals.get(threadId)?.restored(),
    };
  }

  #keep(row: RolloutRow, parts: Pick<JournalOptions, "state" | "meta" | "writer" | "isLegacy">): Journal {
    const { leases } = this.#options;
    const { threadId } = row;
    const journal = new Journal({
      ...this.#options,
      ...parts,
      row,
      claim: () => leases.claim(threadId),
      onClose: async () => {
        if (this.#journals.get(threadId) === journal) this.#journals.delete(threadId);
        await leases.release(threadId);
      },
    });
    this.#journals.set(threadId, journal);
    return journal;
  }
}

interface Branch {
  readonly current: RolloutRow;
  readonly base: HistoryPosition | null;
  readonly spans: readonly Span[];
}

/** A writer that finds more in its file than it wrote stops: an empty line tells it, and every reader passes over it. */
function markTakenOver(path: string): void {
  appendSync(path, "\n", 0o600);
}

async function attempt<T>(threadId: string, work: () => Promise<T | Refusal>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    const text = `the history of thread ${threadId} cannot be read: ${osErrorText(error)}`;
    return refuse("unreadable", text);
  }
}
