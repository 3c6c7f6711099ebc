import type { Clock } from "../../base/clock.ts";
import type { Lanes } from "../../base/lanes.ts";
import type { Logger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { EventFollowers } from "../../engine/history/durable-events.ts";
import type { RequestMessage } from "../../jsonrpc/message.ts";
import type { Responder } from "../../jsonrpc/peer.ts";
import { createPendingRequests } from "../../jsonrpc/pending-requests.ts";
import { type Checker, createChecker } from "../../protocol/check.ts";
import { definitions } from "../../protocol/generated/table.ts";
import type { CloseReason, Transport } from "../../transport/transport.ts";
import { createLegacyGeneration } from "../legacy/legacy-generation.ts";
import { type ClientConnection, openClientConnection } from "./client-connection.ts";
import { createRequestDispatcher, type RequestDispatcherOptions } from "./dispatch.ts";
import { createEventSender } from "./event-sender.ts";
import { createNotifier, type Notifier } from "./notifier.ts";
import { createOutboundRequests, type OutboundRequests } from "./outbound-requests.ts";
import type { ThreadSubscriptions } from "./thread-subscriptions.ts";
import { explainUnserved, type MethodHandlers } from "./unserved-methods.ts";

/** The parts of the server that handlers are created with. */
export interface ServerParts {
  readonly notifier: Notifier;
  readonly requests: OutboundRequests;
  readonly checker: Checker;
  readonly connections: ReadonlySet<ClientConnection>;
}

export interface ServerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Serialize requests with each other and with the server's own work on threads. */
  readonly lanes: Lanes;
  readonly subscriptions: ThreadSubscriptions;
  readonly maxInFlight: () => number;
  readonly describeFault: RequestDispatcherOptions["describeFault"];
  readonly knowsFolder: RequestDispatcherOptions["knowsFolder"];
  readonly recordAudit: RequestDispatcherOptions["recordAudit"];
  /** The first id of the server's own requests. It must differ between servers, or late answers could match. */
  readonly firstRequestId: number;
  readonly createHandlers: (parts: ServerParts) => MethodHandlers;
  /** Wraps the responder of each request; defaults to no instrumentation. */
  readonly instrumentReply?: (request: RequestMessage, reply: Responder) => Responder;
  readonly onConnect?: (connection: ClientConnection, transport: Transport) => void;
  readonly onDisconnect?: (connection: ClientConnection, reason: CloseReason) => void;
}

/** Serves any number of connections, independent of their transport. */
export interface Server {
  connect(transport: Transport): void;
  readonly connections: ReadonlySet<ClientConnection>;
  readonly notifier: Notifier;
  readonly followers: EventFollowers;
  readonly requests: OutboundRequests;
  /** Closes every connection after its queued messages were sent. */
  close(): Promise<void>;
}

export function createServer({
  clock,
  log,
  lanes,
  subscriptions,
  maxInFlight,
  describeFault,
  knowsFolder,
  recordAudit,
  firstRequestId,
  createHandlers,
  instrumentReply = (_request, reply) => reply,
  onConnect,
  onDisconnect,
}: ServerOptions): Server {
  const connections = new Set<ClientConnection>();
  const pending = createPendingRequests(firstRequestId);
  const closed = createDeferred<void>();
  let nextConnectionId = 0;
  let closing = false;

  const legacy = createLegacyGeneration();
  const notifier = createNotifier({ connections: () => connections, subscriptions, clock, legacy });
  const checker = createChecker(definitions);
  const requests = createOutboundRequests({ clock, pending, subscriptions, checker, legacy, log });
  const dispatch = createRequestDispatcher({
    handlers: createHandlers({ notifier, requests, checker, connections }),
    checker,
    lanes,
    log,
    maxInFlight,
    describeFault,
    knowsFolder,
    recordAudit,
    explain(connection, method) {
      const message = explainUnserved(method);
      if (message !== null) notifier.to([connection], "warning", { threadId: null, message });
    },
  });

  return {
    connections,
    notifier,
    followers: createEventSender({ subscriptions, clock }),
    requests,
    connect(transport) {
      if (closing) return transport.close();
      const connection = openClientConnection({
        id: nextConnectionId++,
        transport,
        pending: requests.forConnection,
        waitingBytes: () => totalBacklogBytes(connections),
        clock,
        log,
        onRequest: (from, request, reply) => dispatch(from, request, instrumentReply(request, reply)),
        onOpened: (opened) => onConnect?.(opened, transport),
        onClosed(gone, reason) {
          connections.delete(gone);
          onDisconnect?.(gone, reason);
          if (closing && connections.size === 0) closed.resolve();
        },
      });
      if (connection.handshake.phase !== "closed") connections.add(connection);
    },
    async close() {
      closing = true;
      pending.close("the server is shutting down");
      for (const { greeting } of connections) await greeting;
      if (connections.size === 0) closed.resolve();
      for (const connection of connections) connection.close();
      return closed.promise;
    },
  };
}

function totalBacklogBytes(connections: Iterable<ClientConnection>): number {
  let bytes = 0;
  for (const { backlog } of connections) bytes += backlog.waitingBytes();
  return bytes;
}
