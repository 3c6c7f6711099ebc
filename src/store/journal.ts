/** The port for writing to one open thread: the only way in which its history grows. */
import type { TurnError } from "../protocol/generated/types.ts";
import type { Fence } from "./leases.ts";
import type { LineBody } from "./lines/line.ts";

export interface Journal {
  readonly threadId: string;
  /** Where the history is kept, for the wire alone; null where that has no name. */
  readonly location: string | null;
  /** The right to write, as it is now; null before the first append of a new thread. */
  readonly fence: Fence | null;
  /** Makes a thread durable that has no line yet, and gives the right to write to it. */
  persist(): Promise<PersistOutcome>;
  /**
   * Keeps all of the lines or none, in the order of the calls, behind the thread's first line if it is new; the
   * answer is about the given ones. An append that fails takes those with it that were made before anybody knew.
   * Effects are never visible without their lines. Lines may be without their effects until the next `persist` or
   * `open`, where a store cannot write both in one step.
   */
  append(lines: readonly LineBody[], effects?: readonly Effect[]): Promise<AppendOutcome>;
  /** The end of a turn could not be appended: it goes before what is appended next, and readers see it at once. */
  deferTurnEnd(end: DeferredTurnEnd): void;
  /** Keeps what waits, and gives the thread back. */
  close(): Promise<void>;
}

/** What a store changes together with lines. */
export type Effect =
  /** The lines begin the turn of a claimed row: the row leaves its queue, and enters the log with its preview. */
  {
    readonly kind: "queueStarted";
    readonly rowId: string;
    readonly turnId: string;
    readonly preview: string;
  };

export const NO_EFFECTS: readonly Effect[] = [];

export type PersistOutcome = { readonly kind: "persisted"; readonly fence: Fence } | AppendFailure;

/** What an append is answered with. The position is that of the first given line. */
export type AppendOutcome =
  | {
      readonly kind: "kept";
      readonly firstSeq: number;
      /** What users should know of how it was kept, in words; absent where there is nothing to say. */
      readonly warning?: string;
    }
  | AppendFailure;

/** Why lines are not kept; the message is the store's, in words for clients. */
export type AppendFailure =
  /** Another writer has the thread: nothing more is kept from here. */
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

/** The end of a turn that is not kept yet. */
export interface DeferredTurnEnd {
  readonly turnId: string;
  readonly line: LineBody;
  /** Null: it was interrupted. */
  readonly error: TurnError | null;
}
