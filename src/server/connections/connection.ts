import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { RequestMessage } from "../../jsonrpc/message.ts";
import { createPeer, type Responder } from "../../jsonrpc/peer.ts";
import type { PendingRequests } from "../../jsonrpc/pending-requests.ts";
import { errorCodes } from "../../protocol/errors.ts";
import { notificationRows } from "../../protocol/generated/table.ts";
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

/** A client, seen from the server. */
export interface Connection {
  readonly id: number;
  /** Whom its token names; null where it has none, or that names nobody. */
  readonly subject: string | null;
  handshake: Handshake;
  /** While the client is being told what it should know first; requests wait for its end. */
  greeting: Promise<void> | null;
  /** Requests that were taken and not answered yet. */
  inFlight: number;
  /** Called whenever the last request under way has been answered. */
  onIdle: () => void;
  /** Whether this client is to hear of `method`: it is initialized, wants it, and may know it. */
  wants(method: string): boolean;
  send(text: string, kind: OutgoingKind): void;
  /** From now on the first notice after a response waits so long. */
  delayNotices(delayMs: number): void;
  /** How far the client is behind with reading. */
  readonly backlog: OutboundBacklog;
  close(): void;
}

export interface ConnectionOptions {
  readonly id: number;
  readonly transport: Transport;
  /** The requests of the server that wait for an answer of this client. */
  readonly pending: (connection: Connection) => PendingRequests;
  /** Bytes that wait for all clients together. */
  readonly waitingBytes: () => number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onRequest: (connection: Connection, request: RequestMessage, reply: Responder) => void;
  /** Called before anything is received. */
  readonly onOpened?: (connection: Connection) => void;
  readonly onClosed: (connection: Connection, reason: CloseReason) => void;
}

/** How long requests may take to be answered once their client has said its last word. */
const LAST_ANSWERS_MS = 4000;

/** Bytes that may wait for all clients together before a large answer is refused. */
const MAX_WAITING_BYTES = 1024 * 1024 * 1024;

export const OVERLOADED = { code: errorCodes.overloaded, message: "Server overloaded; retry later." };

export function openConnection(options: ConnectionOptions): Connection {
  const { id, transport, pending, clock, log } = options;
  let outgoing: Outgoing = transport;
  const connection: Connection = {
    id,
    subject: transport.origin?.subject ?? null,
    handshake: { phase: "new" },
    greeting: null,
    inFlight: 0,
    onIdle: () => {},
    wants(method) {
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
  const stopExpiry = closeAt(transport.origin?.expiresAtMs ?? null, clock, connection.close);
  transport.start({
    message: (text) => peer.receive(text),
    inputEnded() {
      // What was asked is answered before the connection ends, unless it takes too long.
      if (connection.inFlight === 0) connection.close();
      else clock.after(LAST_ANSWERS_MS, connection.close);
      connection.onIdle = connection.close;
    },
    closed(reason) {
      stopExpiry();
      peer.close("the connection was closed");
      connection.handshake = { phase: "closed" };
      options.onClosed(connection, reason);
    },
  });
  return connection;
}

/** The clock may be set, and timers do not count while a machine sleeps. */
const LOOK_AGAIN_MS = 60_000;

/** Ends a connection when its token does. */
function closeAt(timeMs: number | null, clock: Clock, close: () => void): () => void {
  if (timeMs === null) return () => {};
  let cancel = (): void => {};
  function look(): void {
    const leftMs = (timeMs ?? 0) - clock.now();
    if (leftMs <= 0) return close();
    cancel = clock.after(Math.min(leftMs, LOOK_AGAIN_MS), look, { keepsAlive: false });
  }
  look();
  return () => cancel();
}

/** What a client can do for MCP servers. */
export function extensionsOf({ handshake }: Connection): ClientExtensions {
  return handshake.phase === "ready" ? handshake.mcp : NO_EXTENSIONS;
}

/**
 * Tells a client what it should know first. Requests that come meanwhile wait, and it counts as under way itself;
 * so `greet` must not reject.
 */
export function greetWith(connection: Connection, greet: () => Promise<void>): void {
  connection.inFlight += 1;
  connection.greeting = greet().finally(() => {
    connection.greeting = null;
    finishOne(connection);
  });
}

/** One request fewer is under way. */
export function finishOne(connection: Connection): void {
  connection.inFlight -= 1;
  if (connection.inFlight === 0) connection.onIdle();
}

function rowOf(method: string) {
  return Object.hasOwn(notificationRows, method)
    ? notificationRows[method as keyof typeof notificationRows]
    : undefined;
}

/** Whether a client asked for the messages of the first generation. */
export function speaksLegacy({ handshake }: Connection): boolean {
  return handshake.phase === "ready" && handshake.legacyApprovals;
}

/** Whether such a client may know of what `method` tells. */
export function mayKnow({ handshake }: Connection, method: keyof typeof notificationRows): boolean {
  return (
    handshake.phase === "ready" && (handshake.experimental || notificationRows[method].stability === "stable")
  );
}
