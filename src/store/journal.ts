/** The port for appending to one open thread. All writes to its history go through it. */
import type { Awaitable } from "../base/awaitable.ts";
import type { TurnError } from "../protocol/generated/types.ts";
import type { Fence } from "./leases.ts";
import type { LinePosition } from "./line-position.ts";
import type { LineBody } from "./lines/line.ts";
import type { NewDelivery } from "./outbox.ts";

export interface Journal {
  readonly threadId: string;
  /** The path of the history, used only on the wire; null for a store without paths. */
  readonly location: string | null;
  /** The current fence; null before the first append of a new thread. */
  readonly fence: Fence | null;
  /** The position of the next line; null for a history whose lines have no positions of their own. */
  next(): LinePosition | null;
  /** Makes a thread durable before its first line, and returns the fence for writing to it. */
  persist(): Promise<PersistOutcome>;
  /**
   * Appends all of the lines or none, in call order, after the session line of a new thread; the outcome describes the
   * given lines. A failed append also fails the appends that were queued before its outcome was known. Effects are
   * never visible without their lines. Lines may lack their effects until the next `persist` or `open`, where a store
   * cannot write both in one step. A store that need not wait for the write returns the outcome itself.
   */
  append(lines: readonly LineBody[], effects?: readonly Effect[]): Awaitable<AppendOutcome>;
  /** Queues a turn end whose append failed: it is written before the next append, and readers see it at once. */
  deferTurnEnd(end: DeferredTurnEnd): void;
  /** The unfinished turn of an opened thread is continued: readers see it in progress again. */
  continueTurn(turnId: string): void;
  /** Flushes deferred lines and releases the thread. */
  close(): Promise<void>;
}

/** A change that a store makes together with lines. */
export type Effect =
  /** The lines begin the turn of a claimed row: the row is removed from its queue and logged with its preview. */
  | {
      readonly kind: "queueStarted";
      readonly rowId: string;
      readonly turnId: string;
      readonly preview: string;
    }
  /** The lines end a turn, of which webhook endpoints are notified. */
  | {
      readonly kind: "turnAnnounced";
      readonly turnId: string;
      readonly deliveries: readonly NewDelivery[];
    };

export const NO_EFFECTS: readonly Effect[] = [];

export type PersistOutcome = { readonly kind: "persisted"; readonly fence: Fence } | AppendFailure;

/** The position is that of the first given line. */
export type AppendOutcome =
  | {
      readonly kind: "kept";
      readonly firstSeq: number;
      /** A warning for users about how the lines were stored; absent if there is none. */
      readonly warning?: string;
    }
  | AppendFailure;

/** Another process has made a thread that `mayExist`. */
export function madeElsewhere(threadId: string): AppendFailure {
  return { kind: "fenced", reason: "takenOver", message: `thread ${threadId} was made by another process` };
}

/** Why lines were not stored; the message is the store's, worded for clients. */
export type AppendFailure =
  /** Another writer holds the thread: this journal stores nothing more. */
  | { readonly kind: "fenced"; readonly reason: "takenOver"; readonly message: string }
  /** A later append may succeed. */
  | { readonly kind: "unavailable"; readonly reason: UnavailableReason; readonly message: string };

export type UnavailableReason =
  | "noSpace"
  | "readOnly"
  | "denied"
  | "blocked"
  | "backlog"
  | "closed"
  | "other";

/** A turn end that is not stored yet. */
export interface DeferredTurnEnd {
  readonly turnId: string;
  readonly line: LineBody;
  /** Null for an interrupted turn. */
  readonly error: TurnError | null;
}
