/** The threads that this process writes to: new ones, resumed ones, forks, and what a revert leaves. */
import { appendFileSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { once } from "../../base/once.ts";
import { osErrorText } from "../../base/os-error.ts";
import type { HistoryIndex, RolloutRow } from "../history-index.ts";
import { noHistory } from "../rollout/history-step.ts";
import type { HistoryPosition, LineBody, SessionMeta } from "../rollout/line.ts";
import type { ModelHistory } from "../rollout/model-history.ts";
import { rolloutPath } from "../rollout/rollout-name.ts";
import { longFacts, noFacts, type ThreadFacts } from "../rollout/thread-facts.ts";
import { responseItem, sessionMeta, type ThreadOrigin } from "../rollout/thread-lines.ts";
import { type CutTurn, turnCut } from "../rollout/turn-lines.ts";
import { RolloutWriter } from "../rollout/writer.ts";
import { type Boundary, findBranchPoint, isLegacy } from "./branch-point.ts";
import { copyLines } from "./copy-lines.ts";
import type { FaultList } from "./fault-list.ts";
import type { Indexer } from "./indexer.ts";
import { Journal, type JournalOptions, type ThreadJournal } from "./journal.ts";
import type { Leases } from "./leases.ts";
import { readModel } from "./read-model.ts";
import { activeWriter, archivedThread, missingThread, type Refusal, refuse } from "./refusal.ts";
import { findSpans, firstMessage, type Span, unfinishedTurn } from "./spans.ts";
import { firstLine, newRow } from "./thread-files.ts";

/** What a thread begins with, or goes on from. */
export interface RecalledHistory {
  readonly facts: ThreadFacts;
  /** What the model has been told: read when it is first asked for, then kept. */
  readonly model: () => Promise<ModelHistory>;
  /** A turn that was cut off with its process. Nothing needs to be written: it reads as interrupted from now on. */
  readonly unfinishedTurnId: string | null;
}

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

/** Tells the model of a turn that the fork does not go on with. */
export type InterruptionMarker = { readonly type: string };

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

const READ_ATTEMPTS = 3;

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
      const cut = await cutOff(index, spans, legacy ? await copyLines(spans, faults) : []);
      return { kind: "copy", ...(await this.#recall(facts, spans, cut === null ? null : marker)) };
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

  /** The thread must be closed; it goes on in a new file when it is opened again. */
  async revert(threadId: string, beforeTurnId: string): Promise<{ readonly kind: "done" } | Refusal> {
    const { index, indexer, leases } = this.#options;
    if (this.#journals.has(threadId)) return activeWriter(threadId);
    const found = await findSpans(indexer, threadId);
    if (found.kind === "refused") return found;
    if (isLegacy(found.current)) return refuse("legacy", "thread/revert only supports paginated threads");
    const point = await findBranchPoint(index, found.spans, { kind: "before", turnId: beforeTurnId });
    if (point.kind === "refused") return point;
    if ((await leases.acquire(threadId, { takeOver: false })).kind === "theirs")
      return activeWriter(threadId);
    try {
      return await this.#replaceFile(found.current, point.base);
    } finally {
      await leases.release(threadId);
    }
  }

  /** The journal of a thread that this process writes to. */
  journal(threadId: string): ThreadJournal | null {
    return this.#journals.get(threadId) ?? null;
  }

  /** The turn that was cut off before this process went on with the thread. */
  cutTurn(threadId: string): string | null {
    const journal = this.journal(threadId);
    return journal === null ? null : (this.#cutTurns.get(journal) ?? null);
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
    const writer = new RolloutWriter({ ...known, clock, durability });
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
    const cut = await cutOff(index, spans, copied);
    const told = marker === undefined ? [] : [responseItem(marker)];
    const ending = cut === null ? [] : [...told, turnCut(cut)];
    const outcome = await journal.append([...copied, ...opening, ...ending]);
    if (outcome.kind === "failed") {
      await journal.close();
      return refuse("disk", outcome.fault.message);
    }
    const recalled = await this.#recall(journal.facts(), spans, cut === null ? null : (marker ?? null));
    return { kind: "open", journal, ...recalled };
  }

  async #opened(journal: ThreadJournal, facts: ThreadFacts, spans: readonly Span[]): Promise<OpenedThread> {
    const recalled = await this.#recall(facts, spans, null);
    if (recalled.unfinishedTurnId !== null) this.#cutTurns.set(journal, recalled.unfinishedTurnId);
    return { kind: "open", journal, ...recalled };
  }

  /** The marker ends what the model is told, where the history ends within a turn. */
  async #recall(
    facts: ThreadFacts,
    spans: readonly Span[],
    marker: InterruptionMarker | null,
  ): Promise<RecalledHistory> {
    const { index } = this.#options;
    const unfinishedTurnId = (await unfinishedTurn(index, spans))?.turnId ?? null;
    return {
      facts: { ...facts, preview: await firstMessage(index, spans) },
      model: once(async () => {
        const model = await this.#readModel(spans);
        return marker === null ? model : { ...model, items: [...model.items, { ...marker }] };
      }).get,
      unfinishedTurnId,
    };
  }

  /** Files that a thread shares with others may be moved between its opening and this, or in the middle of it. */
  async #readModel(spans: readonly Span[], attempt = 1): Promise<ModelHistory> {
    const { indexer, faults } = this.#options;
    const found: Span[] = [];
    for (const span of spans) {
      const path = (await indexer.rowOfRollout(span.row.rolloutId))?.path ?? span.row.path;
      found.push({ ...span, row: { ...span.row, path } });
    }
    try {
      return await readModel(found, faults);
    } catch (error) {
      if (attempt === READ_ATTEMPTS) throw error;
      return this.#readModel(spans, attempt + 1);
    }
  }

  #begin(origin: ThreadOrigin, facts: ThreadFacts): Journal {
    const { home, clock, durability } = this.#options;
    const { threadId, createdAtMs, historyBase = null, historyMode } = origin;
    const path = rolloutPath(home, { threadId, createdAtMs });
    const firstOrdinal = historyBase?.end_ordinal_exclusive ?? 0;
    const legacy = historyMode === "legacy";
    const writer = new RolloutWriter({ path, clock, durability, firstOrdinal, legacy, knownSize: 0 });
    const row = { ...newRow(home, path), base: historyBase };
    const state = { ...noHistory, facts };
    return this.#keep(row, { state, meta: sessionMeta(origin), writer, isLegacy: legacy });
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

  async #replaceFile(current: RolloutRow, base: HistoryPosition | null): Promise<{ kind: "done" } | Refusal> {
    const { home, indexer, clock, createId, durability } = this.#options;
    const meta = await firstLine(current.path);
    if (meta === null) return refuse("unreadable", `${current.path} has no first line that can be read`);
    const { history_base: _base, ...kept } = meta;
    const createdAtMs = clock.now();
    const path = rolloutPath(home, { threadId: current.threadId, createdAtMs, rolloutId: createId() });
    const timestamp = new Date(createdAtMs).toISOString();
    const payload = { ...kept, timestamp, ...(base === null ? {} : { history_base: base }) } as SessionMeta;
    const firstOrdinal = base?.end_ordinal_exclusive ?? 0;
    const writer = new RolloutWriter({ path, clock, durability, firstOrdinal });
    const outcome = await writer.append([{ type: "session_meta", payload }]);
    await writer.close();
    if (outcome.kind === "failed") return refuse("disk", outcome.fault.message);
    await indexer.refresh({ path });
    return { kind: "done" };
  }
}

interface Branch {
  readonly current: RolloutRow;
  readonly base: HistoryPosition | null;
  readonly spans: readonly Span[];
}

const NO_ID: CutTurn = { turnId: null, rootTurnId: null, startedAt: null };

/** The turn that the history ends within; old files may end within one that has no id. */
async function cutOff(
  index: HistoryIndex,
  spans: readonly Span[],
  copied: readonly LineBody[],
): Promise<CutTurn | null> {
  const open = await unfinishedTurn(index, spans);
  if (open !== null) return open;
  const types = copied.map(({ type, payload }) => (type === "event_msg" ? payload["type"] : null));
  const last = types.lastIndexOf("user_message");
  const isEnded = types.slice(last + 1).some((type) => type === "task_complete" || type === "turn_aborted");
  return last < 0 || isEnded ? null : NO_ID;
}

/** A writer that finds more in its file than it wrote stops: an empty line tells it, and every reader passes over it. */
function markTakenOver(path: string): void {
  appendFileSync(path, "\n");
}

async function attempt<T>(threadId: string, work: () => Promise<T | Refusal>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    const text = `the history of thread ${threadId} cannot be read: ${osErrorText(error)}`;
    return refuse("unreadable", text);
  }
}
