/**
 * The port for durable threads. No operation requires a loaded thread. A position is the generation of a segment and
 * the sequence number of a line in it: a revert restarts sequence numbers at the line that it goes back to, and
 * generations only grow. Expected refusals are values with the messages that clients of the protocol know. Several
 * processes may call at once.
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
import type { LinePosition } from "./line-position.ts";
import type { LineBody, RolloutLine } from "./lines/line.ts";
import type { ModelHistory } from "./lines/model-history.ts";
import type { ThreadFacts } from "./lines/thread-facts.ts";
import type { ThreadOrigin } from "./lines/thread-lines.ts";
import type { Done, StoreRefusal } from "./refusal.ts";

export interface ThreadStore {
  /** Creates a thread; it is durable from its first append on. */
  create(origin: ThreadOrigin): Journal;
  /** The journal of a thread that this process writes to. */
  journal(threadId: string): Journal | null;
  open(threadId: string, options?: OpenOptions): Promise<OpenedThread | StoreRefusal>;
  /** Creates a thread that begins with a part of another; it is durable at once. */
  fork(threadId: string, boundary: Boundary, origin: ForkOrigin): Promise<OpenedThread | StoreRefusal>;
  /** The part of a thread that an ephemeral thread begins with. */
  copy(
    threadId: string,
    boundary: Boundary,
    marker: InterruptionMarker,
  ): Promise<CopiedHistory | StoreRefusal>;
  /** The thread must be closed; when it is opened again, it continues from before the turn. */
  revert(threadId: string, beforeTurnId: string): Promise<Done>;

  list(query: ThreadListQuery): Promise<Page<StoredThread> | StoreRefusal>;
  /** Finds threads by a term in their names or messages. */
  search(term: string, query: ThreadListQuery): Promise<Page<FoundThread> | StoreRefusal>;
  /** Null if there is no such thread. */
  read(threadId: string): Promise<StoredThread | null>;
  turns(threadId: string, options?: TurnPageOptions): Promise<Page<Turn> | StoreRefusal>;
  items(threadId: string, options?: ItemPageOptions): Promise<Page<ThreadItemEntry> | StoreRefusal>;
  itemsById(threadId: string, turnId: string, itemIds: readonly string[]): Promise<Items | StoreRefusal>;
  /** The first page is the latest one; entries within a page are in line order. */
  timeline(threadId: string, options?: TimelineOptions): Promise<TimelinePage | StoreRefusal>;
  searchOccurrences(
    threadId: string,
    term: string,
    options?: OccurrenceOptions,
  ): Promise<OccurrencePage | StoreRefusal>;
  /**
   * The lines of the current history in order, including those before a fork; empty for a missing thread. A read from a
   * late position costs no more than a read from the turn before it.
   */
  lines(threadId: string, range?: LineRange): AsyncIterable<StoredLine>;
  /** The position of the next line; null for a missing thread, and for one whose lines have no positions of their own. */
  end(threadId: string): Promise<LinePosition | null>;

  archive(threadId: string): Promise<MoveOutcome>;
  unarchive(threadId: string): Promise<MoveOutcome>;
  delete(threadId: string): Promise<MoveOutcome>;
  rename(threadId: string, name: string): Promise<Done>;
  updateMetadata(threadId: string, patch: MetadataPatch): Promise<StoredThread | StoreRefusal>;
  /** Null clears the goal. */
  setGoal(threadId: string, goal: JsonObject | null): Promise<Done>;
  readStates(threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadReadState>>;
  /** False if the stored revision differs from the expected one; null expects none. */
  setReadState(threadId: string, state: ThreadReadState, expectedRevision: string | null): Promise<boolean>;
}

export interface StoredThread {
  readonly threadId: string;
  readonly archived: boolean;
  /** When the last turn began. */
  readonly recencyAtMs: number;
  /** Without instructions and tools, which only `open` reads. */
  readonly facts: ThreadFacts;
  readonly details: ThreadDetails;
  /** As `Journal.location`. */
  readonly location: string | null;
}

/** Metadata of a thread that is not in its lines. */
export interface ThreadDetails {
  readonly name: string | null;
  /** Overrides the value from the lines. */
  readonly gitInfo: GitInfo | null;
  readonly projectId: string | null;
  readonly daybreakEnabled: boolean | null;
  /** Whether the thread may feed and use memory; null if unset. */
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
  /** Absent members are unchanged, null ones are cleared. */
  readonly gitInfo?: Partial<GitInfo>;
  readonly projectId?: string | null;
  readonly daybreakEnabled?: boolean | null;
  readonly memoryMode?: ThreadMemoryMode;
}

/** The state with which a thread continues, or begins with the history of another. */
export interface StoredHistory {
  readonly facts: ThreadFacts;
  /** The model's history, read on first use and then cached. */
  readonly model: () => Promise<ModelHistory>;
  /**
   * A turn that was cut off when its process died. No line is needed: it reads as interrupted from now on, unless the
   * journal continues it.
   */
  readonly unfinishedTurnId: string | null;
}

export interface OpenedThread extends StoredHistory {
  readonly kind: "open";
  readonly journal: Journal;
}

/** A part of a thread's history for an ephemeral thread. */
export interface CopiedHistory extends StoredHistory {
  readonly kind: "copy";
}

export interface OpenOptions {
  /** Takes the thread from its current writer. */
  readonly takeOver?: boolean;
}

/** Up to where a fork shares the history of its source. */
export type Boundary =
  | { readonly kind: "whole" }
  | { readonly kind: "through"; readonly turnId: string }
  | { readonly kind: "before"; readonly turnId: string };

/** The caller's part of a fork's origin; the other fields come from the source thread. */
export interface ForkOrigin extends Omit<ThreadOrigin, "forkedFromId"> {
  /** The fork's own first lines, such as its settings. */
  readonly opening?: readonly LineBody[];
  readonly marker?: InterruptionMarker;
}

/** A message to the model about a turn that the fork does not continue. */
export type InterruptionMarker = { readonly type: string };

export type ThreadOrder = "created_at" | "updated_at" | "recency_at";

/** Null and absent filters match everything; an empty list matches nothing. */
export interface ThreadFilter {
  readonly archived: boolean;
  readonly cwds?: readonly string[] | null;
  readonly sourceKinds?: readonly ThreadSourceKind[] | null;
  readonly modelProviders?: readonly string[] | null;
  readonly originators?: readonly string[] | null;
  readonly owner?: string | null;
  readonly excludedIds?: readonly string[] | null;
  /** A case-sensitive substring of the name or the first message. */
  readonly searchTerm?: string | null;
  readonly projectId?: string | null;
  readonly parentThreadId?: string | null;
  readonly ancestorThreadId?: string | null;
}

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
  /** Starts after this item instead of at a cursor; the item must belong to the turn, if one is given. */
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

/** The lines from a position on; all of them by default. */
export interface LineRange {
  readonly from?: LinePosition;
  /** Begins with the turn that the position is in, so that what depends on a whole turn can be derived. */
  readonly wholeTurn?: boolean;
}

export interface StoredLine extends LinePosition {
  readonly line: RolloutLine;
}

/** The affected threads, the requested one first. */
export type MoveOutcome = { readonly kind: "done"; readonly threadIds: readonly string[] } | StoreRefusal;
