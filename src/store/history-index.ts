/**
 * The port for the index of rollout files: what lists and pages of threads are answered from. The files are the
 * truth. An index may be empty, behind or gone at any time; whoever reads a thread brings it up to date first. Calls
 * may come from several processes on one home at once.
 */
import type { GitInfo, ThreadReadState, ThreadSourceKind, TurnStatus } from "../protocol/generated/types.ts";
import type { HistoryState } from "./rollout/history-step.ts";
import type { HistoryPosition } from "./rollout/line.ts";
import type { ThreadFacts } from "./rollout/thread-facts.ts";

/** One rollout file. A thread has one, and one more for each time that it was reverted; the newest counts. */
export interface RolloutRow {
  readonly rolloutId: string;
  readonly threadId: string;
  readonly path: string;
  readonly archived: boolean;
  /** The time in the file's name, by which the files of one thread are ordered. */
  readonly fileTime: string;
  /** What the file was like when it was last looked at. */
  readonly size: number;
  readonly inode: number;
  readonly mtimeMs: number;
  /** How far the file has been taken in; 0 when only its beginning and its end have been looked at. */
  readonly indexedBytes: number;
  /** The part of another file that comes before this one. */
  readonly base: HistoryPosition | null;
  readonly sourceKind: ThreadSourceKind;
  /** The thread's place in lists by creation. */
  readonly createdOrderMs: number;
  /** When a turn last began. */
  readonly recencyAtMs: number;
  /** Without its instructions and tools, which only the file has. */
  readonly facts: ThreadFacts;
}

/** What is known of a thread beside its file. */
export interface ThreadDetails {
  readonly name: string | null;
  /** Replaces what the file says. */
  readonly gitInfo: GitInfo | null;
  readonly projectId: string | null;
  readonly daybreakEnabled: boolean | null;
}

export const noDetails: ThreadDetails = {
  name: null,
  gitInfo: null,
  projectId: null,
  daybreakEnabled: null,
};

export interface ThreadEntry {
  readonly row: RolloutRow;
  readonly details: ThreadDetails;
}

/** What folding goes on from, beside the facts of the row. */
export type FoldState = Omit<HistoryState, "facts">;

export interface TurnRow {
  readonly turnId: string;
  /** The place of its first line: the line's ordinal, or its number in files without ordinals. */
  readonly seq: number;
  readonly offset: number;
  /** Behind its last line; null while it has none. */
  readonly end: { readonly seq: number; readonly offset: number } | null;
  readonly status: TurnStatus;
  readonly rootTurnId: string | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly durationMs: number | null;
  /** JSON, as the wire has them. */
  readonly error: string | null;
  readonly hookRuns: string | null;
  readonly firstUserItemId: string | null;
  readonly finalAgentItemId: string | null;
}

export interface ItemRow {
  readonly turnId: string;
  readonly itemId: string;
  readonly type: string;
  /** The place of the line that told it first, which orders items. */
  readonly seq: number;
  /** The line that told it last. */
  readonly offset: number;
  readonly length: number;
  readonly startedAtMs: number | null;
  readonly completedAtMs: number | null;
  /** The item itself, where several lines make it. */
  readonly json: string | null;
}

export type TurnWrite = Partial<TurnRow> & Pick<TurnRow, "turnId" | "seq" | "offset" | "status">;

export type IndexChange =
  | ({ readonly kind: "turn" } & TurnWrite)
  | ({ readonly kind: "item" } & ItemRow)
  | { readonly kind: "rolledBack"; readonly turns: number };

export interface IndexBatch {
  /** The row as it is with the changes. */
  readonly row: RolloutRow;
  readonly state: FoldState;
  /** How far the file must have been taken in before; null to forget that and begin anew. */
  readonly from: number | null;
  readonly changes: readonly IndexChange[];
}

export type ThreadOrder = "created_at" | "updated_at" | "recency_at";
export type Direction = "asc" | "desc";

/** A place in a list of threads. */
export interface ThreadPosition {
  readonly value: number;
  readonly id: string;
  /** Whether the list begins with the thread at this place, or behind it. */
  readonly inclusive: boolean;
}

export function positionOf(
  { row }: ThreadEntry,
  { order }: Pick<ThreadQuery, "order">,
): Pick<ThreadPosition, "value" | "id"> {
  const values = {
    created_at: row.createdOrderMs,
    updated_at: row.facts.updatedAtMs,
    recency_at: row.recencyAtMs,
  };
  return { value: values[order], id: row.threadId };
}

/** Null and absent filters let everything through; an empty list lets nothing through. */
export interface ThreadQuery {
  readonly order: ThreadOrder;
  readonly direction: Direction;
  readonly from: ThreadPosition | null;
  readonly limit: number;
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

export interface SpanQuery {
  readonly rolloutId: string;
  /** From this place on, up to but without that one. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly direction: Direction;
  readonly limit: number;
}

export interface ItemQuery extends SpanQuery {
  readonly turnId?: string | null;
  readonly itemId?: string;
  readonly types?: readonly string[];
}

export interface Lease {
  readonly owner: string;
  readonly expiresAtMs: number;
}

export interface LeaseRequest {
  readonly threadId: string;
  readonly owner: string;
  readonly nowMs: number;
  readonly expiresAtMs: number;
  /** Owners whose leases count as given back. */
  readonly ignoring?: readonly string[];
}

/** What is known of threads beside their files. */
export interface ThreadFactsPart {
  /** Changes the members that are given. */
  setDetails(threadId: string, members: Partial<ThreadDetails>): Promise<void>;
  setNames(names: ReadonlyMap<string, string | null>): Promise<void>;
  details(threadId: string): Promise<ThreadDetails>;
  forgetThread(threadId: string): Promise<void>;
  readStates(threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadReadState>>;
  /** Replaces the state if it still has the expected revision; null expects none. */
  setReadState(threadId: string, state: ThreadReadState, expectedRevision: string | null): Promise<boolean>;
  /** Gets the lease unless another owner holds it: then that one's is the answer. */
  acquireLease(request: LeaseRequest): Promise<Lease | null>;
  lease(threadId: string): Promise<Lease | null>;
  /** Prolongs all leases of an owner, and says for which threads it holds them. */
  renewLeases(owner: string, expiresAtMs: number): Promise<readonly string[]>;
  releaseLease(threadId: string, owner: string): Promise<void>;
  note(key: string): Promise<string | null>;
  setNote(key: string, value: string): Promise<void>;
}

export interface HistoryIndex extends ThreadFactsPart {
  /** Another number than before when everything was lost, and the index is being made anew. */
  readonly epoch: number;
  /** Adds files of which only the beginning and the end were read; of those it knows better, it takes path and size. */
  putHeads(rows: readonly RolloutRow[]): Promise<void>;
  /** Takes lines in, all or nothing; false if the index was not where the batch begins. */
  apply(batch: IndexBatch): Promise<boolean>;
  /** The file that counts for a thread. */
  current(threadId: string): Promise<ThreadEntry | null>;
  rollout(rolloutId: string): Promise<RolloutRow | null>;
  state(rolloutId: string): Promise<FoldState | null>;
  /** All files of a thread, in no order. */
  rolloutsOf(threadId: string): Promise<readonly RolloutRow[]>;
  /** The files that go on from one of these. */
  basedOn(rolloutIds: readonly string[]): Promise<readonly RolloutRow[]>;
  /**
   * What a scan compares with the files of one folder and those below it: by path, behind a given one, and not more
   * than `SIGHTINGS_AT_ONCE` of them.
   */
  sightings(folder: string, after?: string): Promise<readonly Sighting[]>;
  remove(rolloutIds: readonly string[]): Promise<void>;
  move(moves: readonly RolloutMove[]): Promise<void>;
  /** Threads in whose ancestry this one is, the nearest first. */
  descendants(threadId: string): Promise<readonly string[]>;
  list(query: ThreadQuery): Promise<readonly ThreadEntry[]>;
  turns(query: SpanQuery): Promise<readonly TurnRow[]>;
  turn(rolloutId: string, turnId: string): Promise<TurnRow | null>;
  items(query: ItemQuery): Promise<readonly ItemRow[]>;
  itemsById(rolloutId: string, turnId: string, itemIds: readonly string[]): Promise<readonly ItemRow[]>;
}

export interface RolloutMove {
  readonly rolloutId: string;
  readonly path: string;
  readonly archived: boolean;
  /** The thread counts as changed at this time; absent leaves it. */
  readonly updatedAtMs?: number;
}

export const SIGHTINGS_AT_ONCE = 2000;

export type Sighting = Pick<
  RolloutRow,
  "rolloutId" | "threadId" | "path" | "size" | "inode" | "mtimeMs" | "indexedBytes"
>;
