/**
 * The durable side of threads: their files, and an index over them that may be lost at any time. No thread needs to
 * be loaded for anything here. Expected refusals are values with the words that clients of the protocol know.
 */

import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { Logger } from "../../base/logger.ts";
import type { ThreadItemEntry, ThreadReadState, Turn } from "../../protocol/generated/types.ts";
import type { HistoryIndex, ThreadEntry } from "../history-index.ts";
import type { ThreadOrigin } from "../rollout/thread-lines.ts";
import type { Boundary } from "./branch-point.ts";
import {
  type ChangeContext,
  type MetadataPatch,
  renameThread,
  setGoal,
  updateMetadata,
} from "./change-thread.ts";
import { createFaultList, type FaultList } from "./fault-list.ts";
import { foundAt, Indexer } from "./indexer.ts";
import type { ThreadJournal } from "./journal.ts";
import { Leases } from "./leases.ts";
import { findThreads, type ListContext, listThreads, type ThreadListQuery } from "./list-threads.ts";
import {
  archiveThread,
  deleteThread,
  type MoveContext,
  type MoveOutcome,
  unarchiveThread,
} from "./move-threads.ts";
import { type ItemPageOptions, itemsById, pageItems } from "./page-items.ts";
import { pageTimeline, type TimelineOptions, type TimelinePage } from "./page-timeline.ts";
import { type Page, type PageSource, pageTurns, type TurnPageOptions } from "./page-turns.ts";
import type { InterruptionMarker } from "./recall-history.ts";
import type { Done, Refusal } from "./refusal.ts";
import { type OccurrenceOptions, type OccurrencePage, searchOccurrences } from "./search-occurrences.ts";
import type { FoundThread } from "./search-threads.ts";
import { createSessionIndex, type SessionIndex } from "./session-index.ts";
import { findSpans } from "./spans.ts";
import { Sweep } from "./sweep.ts";
import {
  type CopiedHistory,
  type ForkOrigin,
  type OpenedThread,
  type OpenOptions,
  Writing,
} from "./writing.ts";

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
  readonly lockProgram?: () => string | null;
  /** How many threads a list takes into the index before it looks again, at first. */
  readonly fillStep?: number;
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
  readonly #lists: ListContext;
  readonly #changes: ChangeContext;

  constructor(options: HistoryOptions) {
    const { home, index, clock, log, durability = "os" } = options;
    const faults = createFaultList(log);
    const indexer = new Indexer({ home, index, faults, clock });
    const names = createSessionIndex(home, index, durability);
    const leases = new Leases({ ...options, onLost: (threadId) => this.#writing.lose(threadId) });
    this.#options = options;
    this.#index = index;
    this.#faults = faults;
    this.#indexer = indexer;
    this.#names = names;
    this.#sweep = new Sweep({ ...options, indexer, faults });
    this.#leases = leases;
    this.#writing = new Writing({ ...options, indexer, leases, faults, durability });
    const isWritten = (threadId: string) => leases.isWritten(threadId);
    this.#moves = { home, index, indexer, names, clock, log, isWritten };
    this.#lists = { index, names, writing: this.#writing, sweep: this.#sweep, clock };
    const read = (threadId: string) => this.read(threadId);
    this.#changes = { index, indexer, names, writing: this.#writing, clock, read };
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

  list(wanted: ThreadListQuery): Promise<Page<ThreadEntry> | Refusal> {
    return listThreads(this.#lists, wanted);
  }

  /** Threads with a term in their names or messages. */
  search(term: string, wanted: ThreadListQuery): Promise<Page<FoundThread> | Refusal> {
    return findThreads(this.#lists, term, wanted);
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

  async searchOccurrences(
    threadId: string,
    term: string,
    options: OccurrenceOptions = {},
  ): Promise<OccurrencePage | Refusal> {
    const source = await this.#source(threadId);
    return "kind" in source ? source : searchOccurrences(source, term, options);
  }

  async archive(threadId: string): Promise<MoveOutcome> {
    // Those that it has spawned may be in files that the index does not know yet.
    await this.#sweep.fill();
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

  rename(threadId: string, name: string): Promise<Done> {
    return renameThread(this.#changes, threadId, name);
  }

  updateMetadata(threadId: string, patch: MetadataPatch): Promise<ThreadEntry | Refusal> {
    return updateMetadata(this.#changes, threadId, patch);
  }

  /** In the wire's own form; null when there is none. */
  async goal(threadId: string): Promise<JsonObject | null> {
    return (await this.read(threadId))?.row.facts.goal ?? null;
  }

  /** Null clears it. */
  setGoal(threadId: string, goal: JsonObject | null): Promise<Done> {
    return setGoal(this.#changes, threadId, goal);
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
    const ended = this.#writing.endedTurns(threadId);
    const { clock } = this.#options;
    const now = () => clock.now();
    return { threadId, spans: found.spans, index: this.#index, faults: this.#faults, live, ended, now };
  }
}

export function openHistory(options: HistoryOptions): History {
  return new History(options);
}
