/**
 * A connection that carries whole messages as text, in order, both ways. How they are framed, how
 * much may wait and what happens to a reader that is too slow are matters of each transport.
 */
export interface Transport {
  /** Begins delivery. Called once; `closed` is the last call to the receiver. */
  start(receiver: Receiver): void;
  /** Takes a message for sending. After the end of the connection it does nothing. */
  send(text: string, kind: OutgoingKind): void;
  /** Takes a response that is made while it is sent; without it the pieces are joined and sent as text. */
  sendPieces?(message: PiecedMessage): void;
  /** What waits for the other end; without it nothing ever does. */
  readonly backlog?: Backlog;
  /** Where the connection comes from; without it, from this process. */
  readonly origin?: ConnectionOrigin;
  /** Sends what waits, then ends the connection. */
  close(): void;
}

export interface ConnectionOrigin {
  readonly transport: "stdio" | "websocket" | "unix";
  /** The address of the caller; null where there is none. */
  readonly from: string | null;
  /** The proxy that said so, and how it was called itself. */
  readonly through?: string;
  readonly scheme?: string;
  /** Whom the caller's token names. */
  readonly subject?: string;
  /** From when on its token counts no longer, by the wall clock; the connection ends with it. */
  readonly expiresAtMs?: number;
}

/**
 * A notice never leaves in one write behind a response: some clients begin to listen only when they
 * have seen the response, and would miss what came with it.
 */
export type OutgoingKind = "response" | "notice";

/** A message too large to be one text. */
export interface PiecedMessage {
  /** The length of all pieces as they are sent. */
  readonly bytes: number;
  readonly pieces: Iterable<string>;
}

/** How far a reader is behind, for those who could send it less. */
export interface Backlog {
  waitingBytes(): number;
  /** More waits than a reader that keeps up lets wait: what can pause pauses. */
  isBehind(): boolean;
  /** As much waits as may: nothing further is done for this client. */
  isCrowded(): boolean;
  /** Resolves when the reader has caught up or the connection has ended. */
  whenCaughtUp(): Promise<void>;
}

export const NO_BACKLOG: Backlog = {
  waitingBytes: () => 0,
  isBehind: () => false,
  isCrowded: () => false,
  whenCaughtUp: () => Promise.resolve(),
};

export interface Receiver {
  message(text: string): void;
  /** Nothing more will come, but what is still to be sent will arrive; whoever is done calls `close`. */
  inputEnded?(): void;
  closed(reason: CloseReason): void;
}

export type CloseReason =
  | { readonly kind: "ended" }
  | { readonly kind: "overflow"; readonly waitingBytes: number }
  | { readonly kind: "failed"; readonly message: string };

/** The limits of every transport, each named in docs/limits.md. */
export interface TransportLimits {
  /** The largest message that is taken in. */
  readonly messageBytes: number;
  /**
   * Outgoing bytes that may wait for a reader. Beyond them its input is not read, and it is disconnected
   * when so much waits of notices alone, which nobody can hold back.
   */
  readonly outboundBytes: number;
  /** How long a reader with more than that waiting may take nothing at all, where it can be done without. */
  readonly stallMs: number;
}

export const defaultTransportLimits: TransportLimits = {
  messageBytes: 64 * 1024 * 1024,
  outboundBytes: 64 * 1024 * 1024,
  stallMs: 10_000,
};
