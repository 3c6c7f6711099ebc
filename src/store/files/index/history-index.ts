/**
 * The index of rollout files, as tables keep it: what lists and pages of threads are answered from. The files are the
 * truth. An index may be empty, behind or gone at any time; whoever reads a thread brings it up to date first. Calls
 * may come from several processes on one home at once.
 */
import type { ThreadReadState, ThreadSourceKind } from "../../../protocol/generated/types.ts";
import type { HistoryState } from "../../lines/history-step.ts";
import type { FoldedFacts } from "../../lines/thread-facts.ts";
import type { ItemQuery, ItemRow, SpanQuery, TurnRow } from "../../pages/history-reader.ts";
import type { RowChange } from "../../pages/row-changes.ts";
import type { ThreadQuery } from "../../pages/thread-list.ts";
import type { StoredThread, ThreadDetails } from "../../thread-store.ts";
import type { HistoryBase } from "../rollout/file-meta.ts";

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
  readonly base: HistoryBase | null;
  readonly sourceKind: ThreadSourceKind;
  /** The thread's place in lists by creation. */
  readonly createdOrderMs: number;
  /** When a turn last began. */
  readonly recencyAtMs: number;
  /** Without its instructions and tools, which only the file has. */
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

/** What folding goes on from, beside the facts of the row. */
export type FoldState = Omit<HistoryState, "facts">;

export interface FileTurnRow extends TurnRow {
  readonly offset: number;
  readonly end: { readonly seq: number; readonly offset: number } | null;
}

export interface FileItemRow extends ItemRow {
  /** The line that told it last. */
  readonly offset: number;
  readonly length: number;
  /** The item itself, where several lines make it. */
  readonly json: string | null;
}

export type TurnWrite = Partial<FileTurnRow> & Pick<FileTurnRow, "turnId" | "seq" | "offset" | "status">;

export type IndexChange =
  | ({ readonly kind: "turn" } & TurnWrite)
  | ({ readonly kind: "item" } & FileItemRow)
  | Extract<RowChange, { kind: "hookRun" | "rolledBack" }>;

export interface IndexBatch {
  /** The row as it is with the changes. */
  readonly row: RolloutRow;
  readonly state: FoldState;
  /** How far the file must have been taken in before; null to forget that and begin anew. */
  readonly from: number | null;
  readonly changes: readonly IndexChange[];
}

export interface LeaseRequest {
  readonly threadId: string;
  readonly owner: string;
  /** Owners whose leases count as released. */
  readonly ignoring?: readonly string[];
}

/** The leases of a home. The clock of whatever keeps them says when one has run out. */
export interface LeaseTable {
  /** Takes the lease and raises its epoch, unless another owner holds it. */
  acquireLease(
    request: LeaseRequest,
  ): Promise<
    { readonly kind: "held"; readonly epoch: number } | { readonly kind: "elsewhere"; readonly owner: string }
  >;
  /** Who holds a lease that has not run out; null for nobody. */
  leaseOwner(threadId: string): Promise<string | null>;
  /** Whose it is and was made when, whether it has run out or not; null where nobody had it since the table is new. */
  leaseMark(threadId: string): Promise<{ readonly owner: string; readonly epoch: number } | null>;
  /** Prolongs all leases of an owner, and says for which threads it holds them. */
  renewLeases(owner: string): Promise<readonly string[]>;
  /** The epoch stays behind, so that the next one is higher. */
  releaseLease(threadId: string, owner: string, epoch: number): Promise<void>;
}

export const LEASE_MS = 30_000;

/** What is known of threads beside their files. */
export interface ThreadTables extends LeaseTable {
  /** Changes the members that are given. */
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
   * than `INDEXED_FILES_AT_ONCE` of them.
   */
  indexedFiles(folder: string, after?: string): Promise<readonly IndexedFile[]>;
  remove(rolloutIds: readonly string[]): Promise<void>;
  move(moves: readonly RolloutMove[]): Promise<void>;
  /** Threads in whose ancestry this one is, the nearest first. */
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
  /** The thread counts as changed at this time; absent leaves it. */
  readonly updatedAtMs?: number;
  /** What the file is like where another one has its lines; absent leaves it. */
  readonly file?: Pick<RolloutRow, "size" | "inode" | "mtimeMs">;
}

export const INDEXED_FILES_AT_ONCE = 2000;

export type IndexedFile = Pick<
  RolloutRow,
  "rolloutId" | "threadId" | "path" | "size" | "inode" | "mtimeMs" | "indexedBytes"
>;
