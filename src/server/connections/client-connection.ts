import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { RequestMessage } from "../../jsonrpc/message.ts";
import { createPeer, type Responder } from "../../jsonrpc/peer.ts";
import type { PendingRequests } from "../../jsonrpc/pending-requests.ts";
import { ALL_SCOPES } from "../../protocol/access/scopes.ts";
import { errorCodes } from "../../protocol/errors.ts";
import { notificationRows } from "../../protocol/generated/table.ts";
import type { AccessScope } from "../../protocol/generated/types.ts";
import { type ClientExtensions, NO_EXTENSIONS } from "../../tools/mcp/client-extensions.ts";
import {
  type CloseReason,
  NO_BACKLOG,
  type OutboundBacklog,
  type OutgoingKind,
  type Transport,
} from "../../transport/transport.ts";
import { delayNotices, type Outgoing } from "./delay-notices.ts";
import type { Handshake } from "./handshake.ts";
import { NO_THREADS, type OwnThreads } from "./own-threads.ts";
import type { ThreadFollow } from "./thread-follow.ts";

/** The connection of one client. */
export interface ClientConnection {
  readonly id: number;
  /** The subject of its token; null without a token or without a subject. */
  readonly subject: string | null;
  readonly openedAtMs: number;
  /** The scopes of its token; all of them without a token. */
  readonly scopes: ReadonlySet<AccessScope>;
  /** Whether it has a token that names its holder or its scopes. */
  readonly isLimited: boolean;
  handshake: Handshake;
  /** The threads that this client may use; null for all. */
  own: OwnThreads | null;
  /** The threads whose durable events this client follows; null without the capability `resumableEvents`. */
  follows: Map<string, ThreadFollow> | null;
  /** Set while the client is sent its first notifications. Requests wait until it resolves. */
  greeting: Promise<void> | null;
  /** Requests that were admitted and not answered yet. */
  inFlight: number;
  /** Called whenever `inFlight` drops to zero. */
  onIdle: () => void;
  /** Whether this client receives `method`: it is initialized, has not opted out, and has the capability. */
  accepts(method: string): boolean;
  send(text: string, kind: OutgoingKind): void;
  /** From now on the first notice after a response is delayed. */
  delayNotices(delayMs: number): void;
  /** Bytes that the client has not read yet. */
  readonly backlog: OutboundBacklog;
  close(): void;
}

export interface ClientConnectionOptions {
  readonly id: number;
  readonly transport: Transport;
  /** The pending requests of the server that this client may answer. */
  readonly pending: (connection: ClientConnection) => PendingRequests;
  /** Unsent bytes of all clients together. */
  readonly waitingBytes: () => number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onRequest: (connection: ClientConnection, request: RequestMessage, reply: Responder) => void;
  /** Called before anything is received. */
  readonly onOpened?: (connection: ClientConnection) => void;
  readonly onClosed: (connection: ClientConnection, reason: CloseReason) => void;
}

/** Requests in flight have this long to finish after the client has ended its input. */
const DRAIN_TIMEOUT_MS = 4000;

/** Unsent bytes of all clients together above which a large response is refused. */
const MAX_WAITING_BYTES = 1024 * 1024 * 1024;

export const OVERLOADED = { code: errorCodes.overloaded, message: "Server overloaded; retry later." };

export function openClientConnection(options: ClientConnectionOptions): ClientConnection {
  const { id, transport, pending, clock, log } = options;
  let outgoing: Outgoing = transport;
  const connection: ClientConnection = {
    id,
    subject: transport.origin?.subject ?? null,
    openedAtMs: clock.now(),
    scopes: transport.origin?.scopes ?? ALL_SCOPES,
    isLimited: isLimited(transport),
    handshake: { phase: "new" },
    own: isLimited(transport) ? NO_THREADS : null,
    follows: null,
    greeting: null,
    inFlight: 0,
    onIdle: () => {},
    accepts(method) {
      const { handshake } = connection;
      if (handshake.phase !== "ready" || handshake.optedOut.has(method)) return false;
      return handshake.experimental || rowOf(method)?.stability !== "experimental";
    },
    send: (text, kind) => outgoing.send(text, kind),
    delayNotices(delayMs) {
      outgoing = delayNotices(transport, { delayMs, clock });
    },
    backlog: transport.backlog ?? NO_BACKLOG,
    close: () => outgoing.close(),
  };
  const peer = createPeer({
    send: (text) => outgoing.send(text, "response"),
    ...(transport.sendPieces && { sendPieces: (answer) => outgoing.sendPieces?.(answer) }),
    refuseLargeResponse: (length) =>
      options.waitingBytes() + length > MAX_WAITING_BYTES ? OVERLOADED : null,
    onRequest: (request, reply) => options.onRequest(connection, request, reply),
    onNotification: ({ method }) => log.debug("notification from a client", { connection: id, method }),
    log,
    pending: pending(connection),
  });
  options.onOpened?.(connection);
  const stopRevocation = transport.origin?.revocation?.onRevoked(() => connection.close()) ?? (() => {});
  const stopExpiry = closeAtExpiry(transport.origin?.expiresAtMs ?? null, clock, connection.close);
  transport.start({
    message: (text) => peer.receive(text),
    inputEnded() {
      // Requests in flight are answered before the connection closes, up to a timeout.
      if (connection.inFlight === 0) connection.close();
      else clock.after(DRAIN_TIMEOUT_MS, connection.close);
      connection.onIdle = connection.close;
    },
    closed(reason) {
      stopExpiry();
      stopRevocation();
      peer.close("the connection was closed");
      connection.handshake = { phase: "closed" };
      options.onClosed(connection, reason);
    },
  });
  return connection;
}

function isLimited({ origin }: Transport): boolean {
  return origin?.scopes !== undefined;
}

/** The wall clock may be set and timers do not advance during sleep, so the expiry is checked at this interval. */
const EXPIRY_RECHECK_MS = 60_000;

/** Closes a connection when its token expires. */
function closeAtExpiry(timeMs: number | null, clock: Clock, close: () => void): () => void {
  if (timeMs === null) return () => {};
  let cancel = (): void => {};
  function check(): void {
    const remainingMs = (timeMs ?? 0) - clock.now();
    if (remainingMs <= 0) return close();
    cancel = clock.after(Math.min(remainingMs, EXPIRY_RECHECK_MS), check, { keepsAlive: false });
  }
  check();
  return () => cancel();
}

export function mcpExtensionsOf({ handshake }: ClientConnection): ClientExtensions {
  return handshake.phase === "ready" ? handshake.mcp : NO_EXTENSIONS;
}

/**
 * Sends a client its first notifications. Requests that arrive meanwhile wait for `greet`, which counts as in flight
 * itself and must not reject.
 */
export function startGreeting(connection: ClientConnection, greet: () => Promise<void>): void {
  connection.inFlight += 1;
  connection.greeting = greet().finally(() => {
    connection.greeting = null;
    finishRequest(connection);
  });
}

export function finishRequest(connection: ClientConnection): void {
  connection.inFlight -= 1;
  if (connection.inFlight === 0) connection.onIdle();
}

function rowOf(method: string) {
  return Object.hasOwn(notificationRows, method)
    ? notificationRows[method as keyof typeof notificationRows]
    : undefined;
}

/** Whether a client has asked for messages of the legacy protocol. */
export function speaksLegacy({ handshake }: ClientConnection): boolean {
  return handshake.phase === "ready" && handshake.legacyApprovals;
}

export function isExperimental({ handshake }: ClientConnection): boolean {
  return handshake.phase === "ready" && handshake.experimental;
}

/** Whether a client has the capability that `method` requires, whether or not it has opted out of it. */
export function canReceive({ handshake }: ClientConnection, method: keyof typeof notificationRows): boolean {
  return (
    handshake.phase === "ready" && (handshake.experimental || notificationRows[method].stability === "stable")
  );
}
