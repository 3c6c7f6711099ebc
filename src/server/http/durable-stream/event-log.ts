import type { AccessScope } from "../../../protocol/generated/types.ts";

/**
 * A log of messages that only grows. An offset is a place between messages: it sorts byte by byte, is valid as long as the
 * log exists, has less than 256 characters, none of `, & = ? /`, and is neither `-1` nor `now`.
 */
export interface EventLog {
  readonly contentType: string;
  /** Whether a text has the form of an offset of this log. */
  isOffset(text: string): boolean;
  /**
   * The messages after an offset, or from the start: about `maxBytes` of them at most, and at least one if there is any. An
   * offset beyond the tail, or before the messages that are kept, is gone.
   */
  read(offset: string | null, maxBytes: number): Promise<LogPage | LogGone>;
  tail(): Promise<LogTail>;
  /** Calls back when the tail may have moved; returns a function that ends it. */
  onChange(listener: () => void): () => void;
  /** Calls back with a text of one line that is not kept, such as a delta; returns a function that ends it. */
  onLive?(listener: (text: string) => void): () => void;
}

export interface LogPage {
  readonly kind: "page";
  readonly messages: readonly Uint8Array[];
  /** After the messages. It may differ from the requested offset without any message. */
  readonly nextOffset: string;
  /** Whether the page reaches the tail. */
  readonly isUpToDate: boolean;
  /** Whether the log is closed: it never grows again. */
  readonly isClosed: boolean;
}

export interface LogGone {
  readonly kind: "gone";
}

export interface LogTail {
  readonly offset: string;
  readonly isClosed: boolean;
}

/** The holder of the token that a request was sent with. */
export interface LogReader {
  readonly subject: string | null;
  readonly scopes: ReadonlySet<AccessScope>;
}

/** Finds logs by the path of a request. */
export interface EventLogs {
  /** The id is any text that is not empty. */
  open(id: string, reader: LogReader | null): Promise<EventLog | EventLogAbsence>;
}

/**
 * `unknown`: there is none, or none that the holder may read. `starting`: it exists, and will be readable soon. `gone`: it
 * was deleted.
 */
export interface EventLogAbsence {
  readonly kind: "unknown" | "starting" | "gone";
}

export function isLogAbsence(found: EventLog | EventLogAbsence): found is EventLogAbsence {
  return "kind" in found;
}
