/** The port for writing to one open thread: the only way in which its history grows. */
import { osErrorText } from "../base/errors.ts";
import type { TurnError } from "../protocol/generated/types.ts";
import type { Fence } from "./leases.ts";
import type { LineBody } from "./lines/line.ts";
import type { ThreadFacts } from "./lines/thread-facts.ts";

export interface Journal {
  readonly threadId: string;
  /** Where the history is kept, for the wire alone; null where that has no name. */
  readonly location: string | null;
  /** The right to write, as it is now; null before the first append of a new thread. */
  readonly fence: Fence | null;
  /** Whether anything is kept, and with it the thread. */
  readonly isDurable: boolean;
  /**
   * Keeps all of the lines or none, in the order of the calls, behind the thread's first line if it is new; the
   * answer is about the given ones. An append that fails takes those with it that were made before anybody knew.
   */
  append(lines: readonly LineBody[]): Promise<AppendOutcome>;
  /** A turn has ended, and its end cannot be kept: it goes before what is appended next. */
  deferTurnEnd(end: DeferredTurnEnd): void;
  /** Calls back whenever the history was gone and has been written anew. */
  onRestored(listener: () => void): void;
  /** What the lines so far say of the thread. */
  facts(): ThreadFacts;
  /** Keeps what waits, and gives the thread back. */
  close(): Promise<void>;
}

/** What an append is answered with. The position is that of the first given line. */
export type AppendOutcome = { readonly kind: "kept"; readonly firstSeq: number } | AppendFailure;

/** Why lines are not kept, in words for clients. */
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

const REASONS: Readonly<Record<string, UnavailableReason>> = {
  ENOSPC: "noSpace",
  EDQUOT: "noSpace",
  EROFS: "readOnly",
  EACCES: "denied",
  EPERM: "denied",
  EISDIR: "blocked",
  ENOTDIR: "blocked",
  EEXIST: "blocked",
};

/** What an error on the way to the disk means for the lines. */
export function unavailable(place: string, error: unknown): AppendFailure {
  const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""] ?? "other";
  return { kind: "unavailable", reason, message: `cannot write history to ${place}: ${osErrorText(error)}` };
}

export function fenced(place: string, how: string): AppendFailure {
  const message = `another program ${how} ${place}; nothing more is written to it from here`;
  return { kind: "fenced", reason: "takenOver", message };
}
