/**
 * The port for queued turns. A row survives `kill -9` once `add` resolves. The holder of a thread starts its rows: a
 * row is claimed atomically by one winner, under the id that its turn will have, and is removed once that turn is in
 * the journal. A claim whose process died before acknowledging it is recovered as failed, or removed if the journal has
 * its turn. The rows of a thread have one order; timestamps come from the store's clock.
 */
import type { JsonObject } from "../base/json-object.ts";
import type { Fence } from "./leases.ts";
import type { QueueLog, StartedRow } from "./queue-log.ts";

export interface Queue extends QueueLog {
  /**
   * Appends a row. A row with the client id of a queued row is that row, even if it was updated since; one with the
   * client id of a row that has started is not added again.
   */
  add(threadId: string, row: NewRow, limits: QueueLimits): Promise<AddOutcome>;
  /** The visible rows: a row that is being started is hidden, and only its acknowledgement changes it. */
  list(threadId: string, page: RowPage): Promise<RowList>;
  /** The id of a visible row: the given one, or the first; null if there is none. */
  find(threadId: string, rowId: string | null): Promise<string | null>;
  /** The ids of all visible rows in order, as one snapshot. */
  ids(threadId: string): Promise<readonly string[]>;
  /** Replaces the input of a row at its position; a failed row becomes pending. */
  update(threadId: string, rowId: string, change: RowChange, limits: ByteLimits): Promise<UpdateOutcome>;
  /** False if the row is not visible. */
  remove(threadId: string, rowId: string): Promise<boolean>;
  /** False unless it names each visible row exactly once. */
  reorder(threadId: string, rowIds: readonly string[]): Promise<boolean>;
  /** Starts nothing until `resume`, even after a restart. A new reason replaces the old one. */
  pause(threadId: string, reason: string): Promise<void>;
  /**
   * Pauses at most once per ended turn: false if the queue was already paused after this turn, even if resumed since.
   */
  pauseAfter(threadId: string, turnId: string, reason: string): Promise<boolean>;
  /** False if it was not paused. */
  resume(threadId: string): Promise<boolean>;
  /** Claims the next row, or the given one regardless of its position. */
  claim(fence: Fence, turnId: string, rowId?: string): Promise<ClaimOutcome>;
  /** Acknowledges a claim with its result. False if the row is not claimed under this turn. */
  ack(fence: Fence, rowId: string, turnId: string, outcome: ClaimResult): Promise<boolean | Fenced>;
  /**
   * Resolves the claims that an earlier holder of the thread left behind: a row whose turn has started is removed, any
   * other one fails, or returns to its place at most `MAX_CRASH_RETRIES` times.
   */
  recover(fence: Fence, hasStarted: HasStarted, failure: RowFailure): Promise<RecoverOutcome>;
  /** Threads with rows, claimed ones included. */
  threads(): Promise<readonly string[]>;
  /** Totals over all threads. */
  totals(): Promise<QueueTotals>;
  /** The threads whose queues can continue now, longest due first, and when the next one can. */
  due(): Promise<DueThreads>;
  /** Announces for `ATTENDED_MS` that this process loads threads when their queues are due. */
  attend(): Promise<void>;
  /** Withdraws the announcement. */
  leave(): Promise<void>;
  /** Whether any process attends to queues. */
  isAttended(): Promise<boolean>;
  /**
   * Notifies of threads whose rows another process has changed, with a short delay; returns the unsubscribe function.
   */
  watch(onChange: (threadId: string) => void): () => void;
}

/** How long an announcement of `attend` stays valid. */
export const ATTENDED_MS = 90_000;

export interface DueThreads {
  /** Not paused, with a first row that is pending and due, or with a row that is being started. */
  readonly threadIds: readonly string[];
  /** Null if no row at the head of a queue is scheduled for later. */
  readonly nextAtMs: number | null;
}

/** Whether the turn of a claim has started; `retry` if it certainly has not, and the row is to return to its place. */
export type HasStarted = (turnId: string) => Promise<boolean | "retry">;

/** A turn whose start ends its process is not started for ever. */
export const MAX_CRASH_RETRIES = 3;

export type ClaimResult =
  /** The preview is shown in the log. */
  | { readonly kind: "started"; readonly preview: string }
  | { readonly kind: "failed"; readonly failure: RowFailure }
  /** The row is pending again. */
  | { readonly kind: "retried" };

/** Counts of visible rows. */
export interface QueueTotals {
  readonly pending: number;
  readonly failed: number;
  /** The creation time of the oldest row; null if there is none. */
  readonly oldestAtMs: number | null;
}

export interface NewRow {
  readonly rowId: string;
  /** The client's own idempotency key; null if it has none. */
  readonly clientUserMessageId: string | null;
  /** The parameters of the turn, in wire form. */
  readonly params: JsonObject;
  /** Null to start as soon as possible. */
  readonly notBeforeMs: number | null;
  /** The origin of the row; absent if a client or a command added it. */
  readonly source?: RowSource;
}

/** An event outside of the server, or a schedule. */
export type RowSource = "event" | "schedule";

/** The given members of the params replace those of the row; absent ones are unchanged. */
export type RowChange = Pick<NewRow, "params"> & Partial<Pick<NewRow, "notBeforeMs">>;

export interface QueueRow extends NewRow {
  readonly threadId: string;
  readonly state: "pending" | "dispatching" | "failed";
  /** The turn of a claim; null otherwise. */
  readonly turnId: string | null;
  /** Why it could not be started; null unless it failed. */
  readonly failure: RowFailure | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Set if the row is returned without its params and without a long key. */
  readonly isOutline?: true;
}

/** Keys up to this many characters are included in an outline. */
export const OUTLINE_KEY = 1024;

/** In wire form. */
export type RowFailure = JsonObject;

/** The size of a row is that of its params and its client id, as JSON in UTF-8. */
export interface ByteLimits {
  readonly maxRowBytes: number;
  /** Over all rows of a thread, the one that is being started included. */
  readonly maxBytes: number;
}

export interface QueueLimits extends ByteLimits {
  /** Per thread, the row that is being started included. */
  readonly maxRows: number;
}

/** The queue would exceed a limit. */
export interface QueueFull {
  readonly kind: "full";
  readonly limit: keyof QueueLimits;
}

export type AddOutcome =
  | { readonly kind: "added" | "known"; readonly row: QueueRow }
  | { readonly kind: "started"; readonly started: StartedRow }
  | QueueFull;

export type UpdateOutcome =
  | { readonly kind: "updated"; readonly row: QueueRow }
  /** The row is not visible. */
  | { readonly kind: "unknownRow" }
  | QueueFull;

/** A range of rows, bounded by both limits: rows beyond them are not read. */
export interface RowPage {
  /** The number of rows to skip. */
  readonly offset: number;
  readonly limit: number;
  /** The byte limit of its rows together. */
  readonly maxBytes: number;
  /** Rows that are returned whatever their size, within `limit`. */
  readonly atLeast: 0 | 1;
  /** Whether a row that alone exceeds the page is returned without its params and counts no bytes. */
  readonly isOutline?: boolean;
}

export interface RowList {
  readonly rows: readonly QueueRow[];
  /** The count of all visible rows. */
  readonly total: number;
  /** Why the queue is paused; null if it is not. */
  readonly pause: string | null;
}

export type Fenced = { readonly kind: "fenced" };

export type RecoverOutcome =
  | {
      readonly kind: "recovered";
      /** The rows that the recovery marked as failed. */
      readonly failed: readonly string[];
      /** Whether any process has changed the queue recently, so that cached copies may be stale. */
      readonly hasChanged: boolean;
    }
  | Fenced;

export type ClaimOutcome =
  | { readonly kind: "claimed"; readonly row: QueueRow }
  /** No row can be started: the queue is empty or paused, its first row has failed, or a row is being started. */
  | { readonly kind: "none"; readonly why: "empty" | "paused" | "failedHead" | "dispatching" | "unknownRow" }
  /** The first row is scheduled for later. */
  | { readonly kind: "later"; readonly notBeforeMs: number }
  | Fenced;

/** The size of a row in its queue; both texts are JSON. */
export function rowBytes(params: string, clientId: string | null): number {
  return Buffer.byteLength(params) + (clientId === null ? 0 : Buffer.byteLength(clientId));
}

/** The limit that a row would exceed together with the other rows of its thread; null if it fits. */
export function exceededLimit(
  { maxRowBytes, maxBytes }: ByteLimits,
  own: number,
  others: number,
): QueueFull | null {
  if (own > maxRowBytes) return { kind: "full", limit: "maxRowBytes" };
  return own + others > maxBytes ? { kind: "full", limit: "maxBytes" } : null;
}
