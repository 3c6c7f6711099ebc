/**
 * The index of rollout files, from which lists and pages are read. The files are authoritative: an index may be empty,
 * stale or lost at any time, and readers update it first. Several processes may use it at once.
 */
import type { ThreadReadState, ThreadSourceKind } from "../../../protocol/generated/types.ts";
import type { Fence } from "../../leases.ts";
import type { HistoryState } from "../../lines/history-step.ts";
import type { FoldedFacts } from "../../lines/thread-facts.ts";
import type { ItemQuery, ItemRow, SpanQuery, TurnRow } from "../../pages/history-reader.ts";
import type { HistoryRowChange } from "../../pages/row-changes.ts";
import type { ThreadQuery } from "../../pages/thread-list.ts";
import type { StoredThread, ThreadDetails } from "../../thread-store.ts";
import type { HistoryBase } from "../rollout/file-meta.ts";

/** One rollout file. A thread has one, plus one for each revert; the newest is current. */
export interface RolloutRow {
  readonly rolloutId: string;
  readonly threadId: string;
  readonly path: string;
  readonly archived: boolean;
  /** The time in the file's name, which orders the files of a thread. */
  readonly fileTime: string;
  /** Size, inode and modification time when the file was last checked. */
  readonly size: number;
  readonly inode: number;
  readonly mtimeMs: number;
  /** The end of the indexed lines; 0 if only the head and the tail were read. */
  readonly indexedBytes: number;
  /** The part of another file that precedes this one. */
  readonly base: HistoryBase | null;
  readonly sourceKind: ThreadSourceKind;
  /** The sort key of lists by creation. */
  readonly createdOrderMs: number;
  /** When the last turn began. */
  readonly recencyAtMs: number;
  /** Without instructions and tools, which are read from the file. */
  readonly facts: FoldedFacts;
}

export interface ThreadEntry {
  readonly row: RolloutRow;
  readonly details: ThreadDetails;
}

export function toStoredThread({ row, details }: ThreadEntry): StoredThread {
  const { threadId, archived, recencyAtMs, facts, path } = row;
  return { threadId, archived, recencyAtMs, facts, details, location: path };
}

/** The state of the fold, without the facts, which are in the row. */
export type FoldState = Omit<HistoryState, "facts">;

export interface FileTurnRow extends TurnRow {
  readonly offset: number;
  readonly end: { readonly seq: number; readonly offset: number } | null;
}

export interface FileItemRow extends ItemRow {
  /** The position of the last line about the item. */
  readonly offset: number;
  readonly length: number;
  /** The item as JSON if it spans several lines; null otherwise. */
  readonly json: string | null;
}

export type IndexedTurnWrite = Partial<FileTurnRow> &
  Pick<FileTurnRow, "turnId" | "seq" | "offset" | "status">;

export type IndexChange =
  | ({ readonly kind: "turn" } & IndexedTurnWrite)
  | ({ readonly kind: "item" } & FileItemRow)
  | Extract<HistoryRowChange, { kind: "hookRun" | "rolledBack" }>;

export interface IndexBatch {
  /** The row after the changes. */
  readonly row: RolloutRow;
  readonly state: FoldState;
  /** The expected `indexedBytes` before the batch; null to replace everything. */
  readonly from: number | null;
  readonly changes: readonly IndexChange[];
}

export interface LeaseRequest {
  readonly threadId: string;
  readonly owner: string;
  /** Owners whose leases are treated as released. */
  readonly ignoring?: readonly string[];
}

/** The leases of a home. The clock of the table decides when a lease has expired. */
export interface LeaseTable {
  /** Acquires the lease and raises its epoch, unless another owner holds it. */
  acquireLease(
    request: LeaseRequest,
  ): Promise<
    { readonly kind: "held"; readonly epoch: number } | { readonly kind: "elsewhere"; readonly owner: string }
  >;
  /** The owner of an unexpired lease; null if there is none. */
  leaseOwner(threadId: string): Promise<string | null>;
  /** The last owner and epoch, expired or not; null if the thread never had a lease in this table. */
  leaseMark(threadId: string): Promise<{ readonly owner: string; readonly epoch: number } | null>;
  /** Whether the owner certainly holds the fence; false where that cannot be determined without a wait. */
  isMarked(fence: Fence, owner: string): boolean;
  /** Renews all leases of an owner, and returns their threads. */
  renewLeases(owner: string): Promise<readonly string[]>;
  /** Keeps the epoch, so that the next one is higher. */
  releaseLease(threadId: string, owner: string, epoch: number): Promise<void>;
}

export const LEASE_MS = 30_000;

/** Metadata of threads that is not in their files. */
export interface ThreadTables extends LeaseTable {
  /** Updates the given members. */
  setDetails(threadId: string, members: Partial<ThreadDetails>): Promise<void>;
  setNames(names: ReadonlyMap<string, string | null>): Promise<void>;
  details(threadId: string): Promise<ThreadDetails>;
  forgetThread(threadId: string): Promise<void>;
  readStates(threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadReadState>>;
  /** Replaces the state if it still has the expected revision; null expects none. */
  setReadState(threadId: string, state: ThreadReadState, expectedRevision: string | null): Promise<boolean>;
  note(key: string): Promise<string | null>;
  setNote(key: string, value: string): Promise<void>;
}

export interface HistoryIndex extends ThreadTables {
  /** Changes if the index was lost and must be rebuilt. */
  readonly epoch: number;
  /**
   * Adds files of which only head and tail were read; for a file that is already indexed, updates only path and size.
   */
  putHeads(rows: readonly RolloutRow[]): Promise<void>;
  /** Applies a batch atomically; false if the index was not at the start of the batch. */
  apply(batch: IndexBatch): Promise<boolean>;
  /** The current file of a thread. */
  current(threadId: string): Promise<ThreadEntry | null>;
  rollout(rolloutId: string): Promise<RolloutRow | null>;
  state(rolloutId: string): Promise<FoldState | null>;
  /** All files of a thread, unordered. */
  rolloutsOf(threadId: string): Promise<readonly RolloutRow[]>;
  /** The files that are based on one of these. */
  basedOn(rolloutIds: readonly string[]): Promise<readonly RolloutRow[]>;
  /**
   * A page of the indexed files of a folder and its subfolders, sorted by path, after a given path; at most
   * `INDEXED_FILES_AT_ONCE`.
   */
  indexedFiles(folder: string, after?: string): Promise<readonly IndexedFile[]>;
  remove(rolloutIds: readonly string[]): Promise<void>;
  move(moves: readonly RolloutMove[]): Promise<void>;
  /** All descendants of a thread, nearest first. */
  descendants(threadId: string): Promise<readonly string[]>;
  list(query: ThreadQuery): Promise<readonly ThreadEntry[]>;
  turns(query: SpanQuery): Promise<readonly FileTurnRow[]>;
  turn(rolloutId: string, turnId: string): Promise<FileTurnRow | null>;
  items(query: ItemQuery): Promise<readonly FileItemRow[]>;
  itemsById(rolloutId: string, turnId: string, itemIds: readonly string[]): Promise<readonly FileItemRow[]>;
}

export interface RolloutMove {
  readonly rolloutId: string;
  readonly path: string;
  readonly archived: boolean;
  /** The new update time of the thread; unchanged if absent. */
  readonly updatedAtMs?: number;
  /** The properties of a file that replaced the old one; unchanged if absent. */
  readonly file?: Pick<RolloutRow, "size" | "inode" | "mtimeMs">;
}

export const INDEXED_FILES_AT_ONCE = 2000;

export type IndexedFile = Pick<
  RolloutRow,
  "rolloutId" | "threadId" | "path" | "size" | "inode" | "mtimeMs" | "indexedBytes"
>;
