import type { AccessScope } from "../protocol/generated/types.ts";
import type { Revocation } from "./token-holder.ts";

/**
 * A bidirectional, ordered connection for whole text messages. Framing, buffering limits and the handling of slow
 * readers are specific to each transport.
 */
export interface Transport {
  /** Starts delivery. Called once; `closed` is the last call to the receiver. */
  start(receiver: Receiver): void;
  /** Queues a message. A no-op after the connection has ended. */
  send(text: string, kind: OutgoingKind): void;
  /** Queues a response that is generated while it is sent; without this method the pieces are joined and sent as text. */
  sendPieces?(message: PiecedMessage): void;
  /** The outbound queue; if absent, nothing is ever queued. */
  readonly backlog?: OutboundBacklog;
  /** The origin of the connection; if absent, this process. */
  readonly origin?: ConnectionOrigin;
  /** Flushes queued messages, then ends the connection. */
  close(): void;
}

export interface ConnectionOrigin {
  readonly transport: "stdio" | "websocket" | "unix";
  /** The caller's address; null if it has none. */
  readonly from: string | null;
  /** The proxy that reported the address, and the scheme of the request to it. */
  readonly through?: string;
  readonly scheme?: string;
  /** The subject of the caller's token. */
  readonly subject?: string;
  /** The scopes of the caller's token; absent without a token. */
  readonly scopes?: ReadonlySet<AccessScope>;
  /** The expiry of the caller's token in wall-clock time; the connection ends with it. */
  readonly expiresAtMs?: number;
  /** The revocation of the caller's token, with which the connection ends. */
  readonly revocation?: Revocation;
}

/**
 * A notice is never sent in the same write after a response: some clients subscribe only after they have seen the
 * response, and would miss a notice in the same read.
 */
export type OutgoingKind = "response" | "notice";

/** A message that is too large for one string. */
export interface PiecedMessage {
  /** The total length of the pieces in bytes. */
  readonly bytes: number;
  readonly pieces: Iterable<string>;
}

/** The state of the outbound queue, for senders that can throttle. */
export interface OutboundBacklog {
  waitingBytes(): number;
  /** The reader is slower than the sender: producers that can pause should do so. */
  isBehind(): boolean;
  /** The queue has reached its limit: no further requests of this client are processed. */
  isCrowded(): boolean;
  /** Resolves when the reader has caught up or the connection has ended. */
  whenCaughtUp(): Promise<void>;
}

export const NO_BACKLOG: OutboundBacklog = {
  waitingBytes: () => 0,
  isBehind: () => false,
  isCrowded: () => false,
  whenCaughtUp: () => Promise.resolve(),
};

export interface Receiver {
  message(text: string): void;
  /** The input has ended, but output is still delivered; the receiver calls `close` when it is done. */
  inputEnded?(): void;
  closed(reason: CloseReason): void;
}

export type CloseReason =
  | { readonly kind: "ended" }
  | { readonly kind: "overflow"; readonly waitingBytes: number }
  | { readonly kind: "failed"; readonly message: string };

/** The limits of every transport, documented in docs/limits.md. */
export interface TransportLimits {
  /** The maximum size of an incoming message. */
  readonly messageBytes: number;
  /**
   * The maximum number of queued outgoing bytes. Beyond it the client's input is not read, and the client is disconnected
   * if notices alone, which cannot be throttled, exceed it.
   */
  readonly outboundBytes: number;
  /** The timeout for a reader over that limit that reads nothing, on transports that can disconnect it. */
  readonly stallMs: number;
}

export const defaultTransportLimits: TransportLimits = {
  messageBytes: 64 * 1024 * 1024,
  outboundBytes: 64 * 1024 * 1024,
  stallMs: 10_000,
};
