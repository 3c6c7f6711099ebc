/**
 * A connection that carries whole messages as text, in order, both ways. How they are framed, how
 * much may wait and what happens to a reader that is too slow are matters of each transport.
 */
export interface Transport {
  /** Begins delivery. Called once; `closed` is the last thing that the receiver hears. */
  start(receiver: Receiver): void;
  /** Takes a message for sending. After the end of the connection it does nothing. */
  send(text: string, kind: OutgoingKind): void;
  /** Sends what waits, then ends the connection. */
  close(): void;
}

/**
 * A notice never leaves in one write behind an answer: some clients begin to listen only when they
 * have seen the answer, and would miss what came with it.
 */
export type OutgoingKind = "answer" | "notice";

export interface Receiver {
  message(text: string): void;
  /** Nothing more will come, but what is still to be said will be heard; whoever is done calls `close`. */
  inputEnded?(): void;
  closed(reason: CloseReason): void;
}

export type CloseReason =
  | { readonly kind: "ended" }
  | { readonly kind: "overflow"; readonly waitingBytes: number }
  | { readonly kind: "failed"; readonly message: string };

/** The bounds of every transport, each named in docs/limits.md. */
export interface TransportLimits {
  /** The largest message that is taken in. */
  readonly messageBytes: number;
  /** Outgoing bytes that may wait for a reader before its connection is given up or its input paused. */
  readonly outboundBytes: number;
}

export const defaultTransportLimits: TransportLimits = {
  messageBytes: 64 * 1024 * 1024,
  outboundBytes: 64 * 1024 * 1024,
};
