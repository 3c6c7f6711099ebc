/**
 * The port for the durable side of threads. No thread needs to be loaded for anything here. A position is the
 * generation of a segment and the sequence number of a line in it: sequence numbers begin again at the place to which a
 * thread is reverted, and generations only grow. Expected refusals are values with the words that clients of the
 * protocol know. Calls may come from several processes at once.
 */
import type { JsonObject } from "../base/json-object.ts";
import type {
  GitInfo,
  SortDirection,
  ThreadItemEntry,
  ThreadMemoryMode,
  ThreadReadState,
  ThreadSearchOccurrence,
  ThreadSourceKind,
  ThreadTimelineEntry,
  Turn,
  TurnItemsView,
} from "../protocol/generated/types.ts";
import type { Journal } from "./journal.ts";
import type { LineBody, RolloutLine } from "./lines/line.ts";
import type { ModelHistory } from "./lines/model-history.ts";
import type { ThreadFacts } from "./lines/thread-facts.ts";
import type { ThreadOrigin } from "./lines/thread-lines.ts";
import type { Done, StoreRefusal } from "./refusal.ts";

export interface ThreadStore {
  /** A new thread; it lasts from its first append on. */
  create(origin: ThreadOrigin): Journal;
  /** The journal of a thread that this process writes to. */
  journal(threadId: string): Journal | null;
  open(threadId: string, options?: OpenOptions): Promise<OpenedThread | StoreRefusal>;
  /** A new thread that begins with a part of another; it lasts at once. */
  fork(threadId: string, boundary: Boundary, origin: ForkOrigin): Promise<OpenedThread | StoreRefusal>;
  /** The part of a thread that an ephemeral one begins with. */
  copy(
    threadId: string,
    boundary: Boundary,
    marker: InterruptionMarker,
  ): Promise<CopiedHistory | StoreRefusal>;
  /** The thread must be closed; it goes on from before the turn when it is opened again. */
  revert(threadId: string, beforeTurnId: string): Promise<Done>;

  list(query: ThreadListQuery): Promise<Page<StoredThread> | StoreRefusal>;
  /** Threads with a term in their names or messages. */
  search(term: string, query: ThreadListQuery): Promise<Page<FoundThread> | StoreRefusal>;
  /** Null when there is no such thread. */
  read(threadId: string): Promise<StoredThread | null>;
  turns(threadId: string, options?: TurnPageOptions): Promise<Page<Turn> | StoreRefusal>;
  items(threadId: string, options?: ItemPageOptions): Promise<Page<ThreadItemEntry> | StoreRefusal>;
  itemsById(threadId: string, turnId: string, itemIds: readonly string[]): Promise<Items | StoreRefusal>;
  /** The latest page is the first one; each tells its part in the order of the lines. */
  timeline(threadId: string, options?: TimelineOptions): Promise<TimelinePage | StoreRefusal>;
  searchOccurrences(
    threadId: string,
    term: string,
    options?: OccurrenceOptions,
  ): Promise<OccurrencePage | StoreRefusal>;
  /**
   * The lines of the history as it is now, in order, from before a fork as well; nothing of a thread that is missing. To
   * begin far behind costs no more than to begin at the turn before that place.
   */
  lines(threadId: string, range?: LineRange): AsyncIterable<StoredLine>;

  archive(threadId: string): Promise<MoveOutcome>;
  unarchive(threadId: string): Promise<MoveOutcome>;
  delete(threadId: string): Promise<MoveOutcome>;
  rename(threadId: string, name: string): Promise<Done>;
  updateMetadata(threadId: string, patch: MetadataPatch): Promise<StoredThread | StoreRefusal>;
  /** In the wire's own form; null when there is none. */
  goal(threadId: string): Promise<JsonObject | null>;
  /** Null clears it. */
  setGoal(threadId: string, goal: JsonObject | null): Promise<Done>;
  readStates(threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadReadState>>;
  /** False when the state has another revision than expected; null expects none. */
  setReadState(threadId: string, state: ThreadReadState, expectedRevision: string | null): Promise<boolean>;
}

export interface StoredThread {
  readonly threadId: string;
  readonly archived: boolean;
  /** When a turn last began. */
  readonly recencyAtMs: number;
  /** Without its instructions and tools, which only `open` reads. */
  readonly facts: ThreadFacts;
  readonly details: ThreadDetails;
  /** As a journal's. */
  readonly location: string | null;
}

/** What is known of a thread beside its lines. */
export interface ThreadDetails {
  readonly name: string | null;
  /** Replaces what the lines say. */
  readonly gitInfo: GitInfo | null;
  readonly projectId: string | null;
  readonly daybreakEnabled: boolean | null;
  /** Whether it may feed and use memory; null where nobody has said so. */
  readonly memoryMode: ThreadMemoryMode | null;
}

export const noDetails: ThreadDetails = {
  name: null,
  gitInfo: null,
  projectId: null,
  daybreakEnabled: null,
  memoryMode: null,
};

export interface MetadataPatch {
  /** Members that are absent stay, those that are null are cleared. */
  readonly gitInfo?: Partial<GitInfo>;
  readonly projectId?: string | null;
  readonly daybreakEnabled?: boolean | null;
  readonly memoryMode?: ThreadMemoryMode;
}

/** What a thread knows when it goes on, or when it begins with the history of another. */
export interface RecalledHistory {
  readonly facts: ThreadFacts;
  /** What the model has been told: read when it is first asked for, then kept. */
  readonly model: () => Promise<ModelHistory>;
  /** A turn that was cut off with its process. Nothing needs to be written: it reads as interrupted from now on. */
  readonly unfinishedTurnId: string | null;
}

export interface OpenedThread extends RecalledHistory {
  readonly kind: "open";
  readonly journal: Journal;
}

/** A part of a thread's history for a thread that is not kept. */
export interface CopiedHistory extends RecalledHistory {
  readonly kind: "copy";
}

export interface OpenOptions {
  /** Takes the thread from whoever writes to it. */
  readonly takeOver?: boolean;
}

/** Where a fork leaves the history that it comes from. */
export type Boundary =
  | { readonly kind: "whole" }
  | { readonly kind: "through"; readonly turnId: string }
  | { readonly kind: "before"; readonly turnId: string };

/** What a fork's caller decides; the rest comes from the thread that is forked. */
export interface ForkOrigin extends Omit<ThreadOrigin, "forkedFromId"> {
  /** Lines that the fork has of its own, such as its settings. */
  readonly opening?: readonly LineBody[];
  readonly marker?: InterruptionMarker;
}

/** Tells the model of a turn that the fork does not go on with. */
export type InterruptionMarker = { readonly type: string };

export type ThreadOrder = "created_at" | "updated_at" | "recency_at";

/** Null and absent filters let everything through; an empty list lets nothing through. */
export interface ThreadFilter {
  readonly archived: boolean;
  readonly cwds?: readonly string[] | null;
  readonly sourceKinds?: readonly ThreadSourceKind[] | null;
  readonly modelProviders?: readonly string[] | null;
  readonly originators?: readonly string[] | null;
  readonly excludedIds?: readonly string[] | null;
  /** A part of the name or the first message, in the same case. */
  readonly searchTerm?: string | null;
  readonly projectId?: string | null;
  readonly parentThreadId?: string | null;
  readonly ancestorThreadId?: string | null;
}

/** A page of threads that is wanted. */
export interface ThreadListQuery extends ThreadFilter, PageOptions {
  readonly order?: ThreadOrder;
}

export interface FoundThread {
  readonly thread: StoredThread;
  readonly snippet: string;
}

export interface PageOptions {
  readonly cursor?: string | null;
  readonly limit?: number;
  readonly direction?: SortDirection;
}

export interface TurnPageOptions extends PageOptions {
  readonly itemsView?: TurnItemsView;
}

export interface ItemPageOptions extends PageOptions {
  readonly turnId?: string | null;
  /** Begins behind this item instead of at a cursor; it must be of the turn, if there is one. */
  readonly anchorItemId?: string | null;
}

export type TimelineOptions = Pick<PageOptions, "cursor" | "limit">;
export type OccurrenceOptions = Pick<PageOptions, "cursor" | "limit">;

export interface Page<T> {
  readonly kind: "page";
  readonly data: readonly T[];
  readonly nextCursor: string | null;
  readonly backwardsCursor: string | null;
}

export type TimelinePage = Omit<Page<ThreadTimelineEntry>, "backwardsCursor">;
export type OccurrencePage = Omit<Page<ThreadSearchOccurrence>, "backwardsCursor">;

export interface Items {
  readonly kind: "items";
  readonly data: readonly ThreadItemEntry[];
}

/** The place of a line, as `comparePositions` orders them. No two lines that a thread ever had share one. */
export interface LinePosition {
  /** 0, and one more with each revert; a fork has that of the segment which it goes on from. */
  readonly generation: number;
  readonly seq: number;
}

export function comparePositions(one: LinePosition, other: LinePosition): number {
  return one.generation - other.generation || one.seq - other.seq;
}

/** The lines at a position and behind it; all of them unless given. */
export interface LineRange {
  readonly from?: LinePosition;
}

export interface StoredLine extends LinePosition {
  readonly line: RolloutLine;
}

/** The threads it was done to, the asked one first. */
export type MoveOutcome = { readonly kind: "done"; readonly threadIds: readonly string[] } | StoreRefusal;
