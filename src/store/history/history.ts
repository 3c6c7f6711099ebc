/**
 * The durable side of threads: their files, and an index over them that may be lost at any time. No thread needs to
 * be loaded for anything here. Expected refusals are values with the words that clients of the protocol know.
 */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { GitInfo, ThreadItemEntry, ThreadReadState, Turn } from "../../protocol/generated/types.ts";
import type { HistoryIndex, ThreadEntry, ThreadQuery } from "../history-index.ts";
import type { JsonObject } from "../rollout/members.ts";
import { type ThreadOrigin, threadGoalUpdated } from "../rollout/thread-lines.ts";
import type { Boundary } from "./branch-point.ts";
import { readThreadCursor, threadCursor } from "./cursor.ts";
import { createFaultList, type FaultList, type HistoryFault } from "./fault-list.ts";
import { foundAt, Indexer } from "./indexer.ts";
import type { ThreadJournal } from "./journal.ts";
import { Leases } from "./leases.ts";
import {
  archiveThread,
  deleteThread,
  type MoveContext,
  type MoveOutcome,
  unarchiveThread,
} from "./move-threads.ts";
import { type ItemPageOptions, itemsById, pageItems } from "./page-items.ts";
import { pageTimeline, type TimelineOptions, type TimelinePage } from "./page-timeline.ts";
import { DEFAULT_PAGE, type Page, type PageSource, pageTurns, type TurnPageOptions } from "./page-turns.ts";
import { badCursor, missingThread, type Refusal, refuse } from "./refusal.ts";
import { type OccurrenceOptions, type OccurrencePage, searchOccurrences } from "./search-occurrences.ts";
import { type FoundThread, positionOf, searchThreads } from "./search-threads.ts";
import { createSessionIndex, type SessionIndex } from "./session-index.ts";
import { findSpans } from "./spans.ts";
import { Sweep } from "./sweep.ts";
import {
  type CopiedHistory,
  type ForkOrigin,
  type InterruptionMarker,
  type OpenedThread,
  type OpenOptions,
  Writing,
} from "./writing.ts";

/** A page of threads that is wanted. */
export interface ThreadListQuery extends Omit<ThreadQuery, "from" | "limit" | "order" | "direction"> {
  readonly order?: ThreadQuery["order"];
  readonly direction?: ThreadQuery["direction"];
  readonly cursor?: string | null;
  readonly limit?: number;
  /** Answers from the index as it is. */
  readonly indexOnly?: boolean;
}

export interface MetadataPatch {
  /** Members that are absent stay, those that are null are cleared. */
  readonly gitInfo?: Partial<GitInfo>;
  readonly projectId?: string | null;
  readonly daybreakEnabled?: boolean | null;
  readonly sectionId?: string | null;
  readonly sectionEnteredAtMs?: number | null;
}

export type Done = { readonly kind: "done" } | Refusal;

export interface Items {
  readonly kind: "items";
  readonly data: readonly ThreadItemEntry[];
}

export interface HistoryOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  /** Names this process among those on the home: `<process id>@<host>#<something unique>`. */
  readonly owner: string;
  /** `os` outlives the process, `fsync` the machine. */
  readonly durability?: "os" | "fsync";
  /** Whether programs that know nothing of the index are told of writers by lock files. */
  readonly lockFiles?: boolean;
  /** How long a first list may wait for files that are not in the index yet. */
  readonly patienceMs?: number;
}

export class History {
  readonly #options: HistoryOptions;
  readonly #index: HistoryIndex;
  readonly #faults: FaultList;
  readonly #indexer: Indexer;
  readonly #names: SessionIndex;
  readonly #sweep: Sweep;
  readonly #leases: Leases;
  readonly #writing: Writing;
  readonly #moves: MoveContext;

  constructor(options: HistoryOptions) {
    const { home, index, clock, log, durability = "os" } = options;
    const faults = createFaultList(log);
    const indexer = new Indexer({ home, index, faults, clock });
    const names = createSessionIndex(home, index);
    const leases = new Leases({ ...options, onLost: (threadId) => this.#writing.lose(threadId) });
    this.#options = options;
    this.#index = index;
    this.#faults = faults;
    this.#indexer = indexer;
    this.#names = names;
    this.#sweep = new Sweep({ ...options, indexer });
    this.#leases = leases;
    this.#writing = new Writing({ ...options, indexer, leases, faults, durability });
    const isWritten = (threadId: string) => leases.isWritten(threadId);
    this.#moves = { home, index, indexer, names, clock, log, isWritten };
  }

  /** What could not be read, each thing once. */
  get faults(): readonly HistoryFault[] {
    return this.#faults.all;
  }

  /** A new thread; its file is made with the first append. */
  create(origin: ThreadOrigin): ThreadJournal {
    return this.#writing.create(origin);
  }

  /** The journal of a thread that this process writes to. */
  journal(threadId: string): ThreadJournal | null {
    return this.#writing.journal(threadId);
  }

  open(threadId: string, options: OpenOptions = {}): Promise<OpenedThread | Refusal> {
    return this.#writing.open(threadId, options);
  }

  /** A new thread that begins with a part of another; its file is made at once. */
  fork(threadId: string, boundary: Boundary, origin: ForkOrigin): Promise<OpenedThread | Refusal> {
    return this.#writing.fork(threadId, boundary, origin);
  }

  /** The part of a thread that one without a file begins with. */
  copy(threadId: string, boundary: Boundary, marker: InterruptionMarker): Promise<CopiedHistory | Refusal> {
    return this.#writing.copy(threadId, boundary, marker);
  }

  /** The thread must be closed; it goes on in a new file when it is opened again. */
  revert(threadId: string, beforeTurnId: string): Promise<Done> {
    return this.#writing.revert(threadId, beforeTurnId);
  }

  async list(wanted: ThreadListQuery): Promise<Page<ThreadEntry> | Refusal> {
    const query = await this.#prepare(wanted);
    if ("kind" in query) return query;
    let entries = await this.#index.list(query);
    const others = entries.filter(({ row }) => this.journal(row.threadId) === null).map(({ row }) => row);
    if (wanted.indexOnly !== true && (await this.#sweep.recheck(others)))
      entries = await this.#index.list(query);
    return threadPage(entries, query, (entry) => entry);
  }

  /** Null when there is no such thread. */
  async read(threadId: string): Promise<ThreadEntry | null> {
    await this.#writing.settle(threadId);
    const row = await this.#indexer.currentRow(threadId);
    if (row === null || (await this.#indexer.catchUp(row)) === null) return null;
    await this.#names.sync();
    return this.#index.current(threadId);
  }

  /** The thread whose file this is; null for files that are not of this home or not named like a rollout. */
  threadAt(path: string): string | null {
    return foundAt(this.#options.home, path)?.name.threadId ?? null;
  }

  async turns(threadId: string, options: TurnPageOptions = {}): Promise<Page<Turn> | Refusal> {
    const source = await this.#source(threadId);
    return "kind" in source ? source : pageTurns(source, options);
  }

  async items(threadId: string, options: ItemPageOptions = {}): Promise<Page<ThreadItemEntry> | Refusal> {
    const source = await this.#source(threadId);
    return "kind" in source ? source : pageItems(source, options);
  }

  async itemsById(threadId: string, turnId: string, itemIds: readonly string[]): Promise<Items | Refusal> {
    const source = await this.#source(threadId);
    return "kind" in source ? source : { kind: "items", data: await itemsById(source, turnId, itemIds) };
  }

  async timeline(threadId: string, options: TimelineOptions = {}): Promise<TimelinePage | Refusal> {
    const source = await this.#source(threadId);
    return "kind" in source ? source : pageTimeline(source, options);
  }

  /** Threads with a term in their names or messages. */
  async search(term: string, wanted: ThreadListQuery): Promise<Page<FoundThread> | Refusal> {
    if (term.trim() === "") return refuse("input", "thread/search requires a non-empty searchTerm");
    const query = await this.#prepare(wanted);
    if ("kind" in query) return query;
    const now = () => this.#options.clock.now();
    const found = await searchThreads({ index: this.#index, query, term: term.trim(), now });
    return threadPage(found, query, ({ entry }) => entry);
  }

  async searchOccurrences(
    threadId: string,
    term: string,
    options: OccurrenceOptions = {},
  ): Promise<OccurrencePage | Refusal> {
    const source = await this.#source(threadId);
    return "kind" in source ? source : searchOccurrences(source, term, options);
  }

  archive(threadId: string): Promise<MoveOutcome> {
    return archiveThread(this.#moves, threadId);
  }

  unarchive(threadId: string): Promise<MoveOutcome> {
    return unarchiveThread(this.#moves, threadId);
  }

  async delete(threadId: string): Promise<MoveOutcome> {
    await this.#writing.settle();
    await this.#sweep.complete();
    return deleteThread(this.#moves, threadId);
  }

  async rename(threadId: string, name: string): Promise<Done> {
    const refused = await this.#makeDurable(threadId);
    if (refused !== null) return refused;
    await this.#names.name(threadId, name, this.#options.clock.now());
    return { kind: "done" };
  }

  async updateMetadata(
    threadId: string,
    { gitInfo, ...rest }: MetadataPatch,
  ): Promise<ThreadEntry | Refusal> {
    const refused = await this.#makeDurable(threadId);
    if (refused !== null) return refused;
    const entry = await this.read(threadId);
    if (entry === null) return missingThread(threadId);
    const before = entry.details.gitInfo ?? entry.row.facts.gitInfo ?? NO_GIT;
    const git = gitInfo === undefined ? {} : { gitInfo: { ...before, ...gitInfo } };
    await this.#index.setDetails(threadId, { ...rest, ...git });
    return (await this.#index.current(threadId)) ?? missingThread(threadId);
  }

  /** In the wire's own form; null when there is none. */
  async goal(threadId: string): Promise<JsonObject | null> {
    return (await this.read(threadId))?.row.facts.goal ?? null;
  }

  /** Null clears it. */
  async setGoal(threadId: string, goal: JsonObject | null): Promise<Done> {
    const own = this.journal(threadId);
    const opened = own === null ? await this.open(threadId) : null;
    if (opened?.kind === "refused") return opened;
    const journal = own ?? opened?.journal;
    const outcome = await journal?.append([threadGoalUpdated(threadId, goal)]);
    if (own === null) await journal?.close();
    return outcome?.kind === "failed" ? refuse("disk", outcome.fault.message) : { kind: "done" };
  }

  readStates(threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadReadState>> {
    return this.#index.readStates(threadIds);
  }

  /** False when the state has another revision than expected; null expects none. */
  setReadState(threadId: string, state: ThreadReadState, expectedRevision: string | null): Promise<boolean> {
    return this.#index.setReadState(threadId, state, expectedRevision);
  }

  /** Until every file of the home is in the index. */
  whenIndexed(): Promise<void> {
    return this.#sweep.complete();
  }

  async close(): Promise<void> {
    await this.#sweep.close();
    await this.#writing.close();
    await this.#leases.close();
  }

  async #source(threadId: string): Promise<PageSource | Refusal> {
    await this.#writing.settle(threadId);
    const found = await findSpans(this.#indexer, threadId);
    if (found.kind === "refused") return found;
    const live = await this.#leases.isWritten(threadId);
    const cutTurnId = this.#writing.cutTurn(threadId);
    return { threadId, spans: found.spans, index: this.#index, faults: this.#faults, live, cutTurnId };
  }

  /** The question of a list, with one thread more than wanted to know whether there are more. */
  async #prepare(wanted: ThreadListQuery): Promise<ThreadQuery | Refusal> {
    const {
      cursor = null,
      order = "created_at",
      direction = "desc",
      limit = DEFAULT_PAGE,
      indexOnly,
      ...filters
    } = wanted;
    const from = cursor === null ? null : readThreadCursor(cursor, order);
    if (cursor !== null && from === null) return badCursor(cursor);
    await this.#names.sync();
    await this.#writing.settle();
    if (indexOnly !== true) await this.#sweep.freshen();
    return { ...filters, order, direction, from, limit: limit + 1 };
  }

  /** A thread that is named or marked before its first turn becomes one that lasts. */
  async #makeDurable(threadId: string): Promise<Refusal | null> {
    const journal = this.journal(threadId);
    if (journal === null) {
      return (await this.#indexer.currentRow(threadId)) === null ? missingThread(threadId) : null;
    }
    if (journal.isDurable) return null;
    const outcome = await journal.append([]);
    return outcome.kind === "failed" ? refuse("disk", outcome.fault.message) : null;
  }
}

export function openHistory(options: HistoryOptions): History {
  return new History(options);
}

const NO_GIT: GitInfo = { sha: null, branch: null, originUrl: null };

function threadPage<T>(found: readonly T[], query: ThreadQuery, entryOf: (each: T) => ThreadEntry): Page<T> {
  const data = found.slice(0, query.limit - 1);
  const [first] = data;
  const last = data.at(-1);
  const at = (each: T, inclusive: boolean) =>
    threadCursor(query.order, { ...positionOf(entryOf(each), query), inclusive });
  return {
    kind: "page",
    data,
    nextCursor: found.length > data.length && last !== undefined ? at(last, false) : null,
    backwardsCursor: first === undefined ? null : at(first, true),
  };
}
