/**
 * The port for turns that wait for their thread. What `add` has settled survives `kill -9`. A row is started by whoever
 * holds its thread: it is claimed in one step with one winner, under the id that its turn will have, and is gone when
 * that turn is in the journal. A claim that its process did not live to settle comes back as failed, or is gone where the
 * journal has its turn. Rows of one thread have one order; times are the store's.
 */
import type { JsonObject } from "../base/json-object.ts";
import type { Fence } from "./leases.ts";
import type { QueueLog, StartedRow } from "./queue-log.ts";

export interface Queue extends QueueLog {
  /**
   * Behind all others. One with the client's id of a row that is there is that row, however it was changed since; one
   * with the client's id of a row that has started is not added any more.
   */
  add(threadId: string, row: NewRow, limits: QueueLimits): Promise<AddOutcome>;
  /** Those that can be seen: a row that is being started cannot, and is not touched by anything but its settling. */
  list(threadId: string, page: RowPage): Promise<RowList>;
  /** The id of a row that can be seen: of the one that is named, or of the first; null where there is none. */
  find(threadId: string, rowId: string | null): Promise<string | null>;
  /** The ids of all rows that can be seen, in their order, of one moment. */
  ids(threadId: string): Promise<readonly string[]>;
  /** Other input for a row, at its place; one that had failed is pending. */
  update(threadId: string, rowId: string, change: RowChange, limits: ByteLimits): Promise<UpdateOutcome>;
  /** False where it cannot be seen. */
  remove(threadId: string, rowId: string): Promise<boolean>;
  /** False unless it names each row that can be seen exactly once. */
  reorder(threadId: string, rowIds: readonly string[]): Promise<boolean>;
  /** Nothing is started any more, also after a restart, until `resume`. Another reason replaces the first. */
  pause(threadId: string, reason: string): Promise<void>;
  /** The same once for the end of a turn: false where it was paused after this turn before, also when it was resumed. */
  pauseAfter(threadId: string, turnId: string, reason: string): Promise<boolean>;
  /** False where it was not paused. */
  resume(threadId: string): Promise<boolean>;
  /** Takes the row that is next; or one that is named, whatever stands before it. */
  claim(fence: Fence, turnId: string, rowId?: string): Promise<ClaimOutcome>;
  /** What has become of a claim. False where the row is not claimed under this turn. */
  ack(fence: Fence, rowId: string, turnId: string, outcome: ClaimResult): Promise<boolean | Fenced>;
  /** Settles what an earlier holder of the thread has left claimed. */
  recover(
    fence: Fence,
    hasStarted: (turnId: string) => Promise<boolean>,
    failure: RowFailure,
  ): Promise<RecoverOutcome>;
  /** Threads with rows that can be seen, the ones that are claimed included. */
  threads(): Promise<readonly string[]>;
  /** Of all threads together. */
  totals(): Promise<QueueTotals>;
  /** The threads whose queues can go on by now, the longest due first, and when the next one can. */
  due(): Promise<DueThreads>;
  /** Tells others that this process loads threads when their queues are due; that counts for `ATTENDED_MS`. */
  attend(): Promise<void>;
  /** It does so no longer. */
  leave(): Promise<void>;
  /** Whether some process does. */
  isAttended(): Promise<boolean>;
  /** Hears of threads whose rows another process has changed, soon after; the returned function ends it. */
  watch(onChange: (threadId: string) => void): () => void;
}

/** How long others believe that a process which has told so attends to queues. */
export const ATTENDED_MS = 90_000;

export interface DueThreads {
  /** Not paused, with a first row that is pending and whose time has come, or with a row that is being started. */
  readonly threadIds: readonly string[];
  /** Null where no row waits for its time at the head of a queue. */
  readonly nextAtMs: number | null;
}

/** What has become of a claim. */
export type ClaimResult =
  /** The preview is what the log shows of it. */
  | { readonly kind: "started"; readonly preview: string }
  | { readonly kind: "failed"; readonly failure: RowFailure };

/** Rows that can be seen. */
export interface QueueTotals {
  readonly pending: number;
  readonly failed: number;
  /** When the one was added that is there the longest; null where there is none. */
  readonly oldestAtMs: number | null;
}

export interface NewRow {
  readonly rowId: string;
  /** A key of the client's own; null where it has none. */
  readonly clientUserMessageId: string | null;
  /** What the turn is started with, as the wire has it. */
  readonly params: JsonObject;
  /** Null for as soon as it is its turn. */
  readonly notBeforeMs: number | null;
}

/** Members of the params stand in place of those that the row has; what is not given stays. */
export type RowChange = Pick<NewRow, "params"> & Partial<Pick<NewRow, "notBeforeMs">>;

export interface QueueRow extends NewRow {
  readonly threadId: string;
  readonly state: "pending" | "dispatching" | "failed";
  /** The turn of a claim; null otherwise. */
  readonly turnId: string | null;
  /** Why it could not be started; null unless it has failed. */
  readonly failure: RowFailure | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** There where it comes without its params, and without a key that is long. */
  readonly isOutline?: true;
}

/** Characters of a key that a row has also in an outline. */
export const OUTLINE_KEY = 1024;

/** As the wire has it. */
export type RowFailure = JsonObject;

/** What a row takes up: what it starts with and its client's id, as JSON in UTF-8. */
export interface ByteLimits {
  readonly maxRowBytes: number;
  /** Of all rows of a thread, the one that is being started counted. */
  readonly maxBytes: number;
}

export interface QueueLimits extends ByteLimits {
  /** Of a thread, the one that is being started counted. */
  readonly maxRows: number;
}

/** The queue would go beyond a limit. */
export interface Full {
  readonly kind: "full";
  readonly limit: keyof QueueLimits;
}

export type AddOutcome =
  | { readonly kind: "added" | "known"; readonly row: QueueRow }
  | { readonly kind: "started"; readonly started: StartedRow }
  | Full;

export type UpdateOutcome =
  | { readonly kind: "updated"; readonly row: QueueRow }
  /** It cannot be seen. */
  | { readonly kind: "unknownRow" }
  | Full;

/** Rows from a place on, as many as both limits allow: no more is read than is answered. */
export interface RowPage {
  /** How many rows come before it. */
  readonly offset: number;
  readonly limit: number;
  /** What its rows take up together. */
  readonly maxBytes: number;
  /** Rows that it has however large they are, where the limit allows them. */
  readonly atLeast: 0 | 1;
  /** Whether a row that alone is larger than the page comes without what it starts with, and takes up nothing of it. */
  readonly isOutline?: boolean;
}

export interface RowList {
  readonly rows: readonly QueueRow[];
  /** Of all rows that can be seen. */
  readonly total: number;
  /** Why nothing is started; null unless it is paused. */
  readonly pause: string | null;
}

export type Fenced = { readonly kind: "fenced" };

export type RecoverOutcome =
  | {
      readonly kind: "recovered";
      /** Rows that have failed by that. */
      readonly failed: readonly string[];
      /** Whether the queue has changed lately, whoever did that: what somebody remembers of it may be wrong. */
      readonly hasChanged: boolean;
    }
  | Fenced;

export type ClaimOutcome =
  | { readonly kind: "claimed"; readonly row: QueueRow }
  /** Nothing can be started: there is nothing, or it is paused, or the first has failed, or one is being started. */
  | { readonly kind: "none"; readonly why: "empty" | "paused" | "failedHead" | "dispatching" | "unknownRow" }
  /** The first is not to be started before. */
  | { readonly kind: "later"; readonly notBeforeMs: number }
  | Fenced;
