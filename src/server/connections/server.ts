import type { Clock } from "../../base/clock.ts";
import type { Lanes } from "../../base/lanes.ts";
import type { Logger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { RequestMessage } from "../../jsonrpc/message.ts";
import type { Responder } from "../../jsonrpc/peer.ts";
import { createPendingRequests } from "../../jsonrpc/pending-requests.ts";
import { type Checker, createChecker } from "../../protocol/check.ts";
import { definitions } from "../../protocol/generated/table.ts";
import type { CloseReason, Transport } from "../../transport/transport.ts";
import { createLegacyGeneration } from "../legacy/legacy-generation.ts";
import { type ClientRequests, createClientRequests } from "./client-requests.ts";
import { type Connection, openConnection } from "./connection.ts";
import { createDispatcher, type DispatchOptions } from "./dispatch.ts";
import { createNotifier, type Notifier } from "./notifier.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { explainUnserved, type MethodHandlers } from "./unserved-methods.ts";

/** What the handlers are made from once the server can tell clients things. */
export interface ServerParts {
  readonly notifier: Notifier;
  readonly requests: ClientRequests;
  readonly checker: Checker;
  readonly connections: ReadonlySet<Connection>;
}

export interface ServerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** In which requests wait for one another, and for what the server does to threads by itself. */
  readonly lanes: Lanes;
  readonly subscriptions: Subscriptions;
  readonly maxInFlight: () => number;
  readonly describeFault: DispatchOptions["describeFault"];
  /** Where the ids of the server's own requests begin; not where those of an earlier server did. */
  readonly firstRequestId: number;
  readonly createHandlers: (parts: ServerParts) => MethodHandlers;
  /** Lets others hear of answers. */
  readonly watchReply?: (request: RequestMessage, reply: Responder) => Responder;
  readonly onConnect?: (connection: Connection, transport: Transport) => void;
  readonly onDisconnect?: (connection: Connection, reason: CloseReason) => void;
}

/** Serves any number of connections; knows nothing of where they come from. */
export interface Server {
  connect(transport: Transport): void;
  readonly connections: ReadonlySet<Connection>;
  readonly notifier: Notifier;
  readonly requests: ClientRequests;
  /** Ends every connection after what waits for it was sent. */
  close(): Promise<void>;
}

export function createServer({
  clock,
  log,
  lanes,
  subscriptions,
  maxInFlight,
  describeFault,
  firstRequestId,
  createHandlers,
  watchReply = (_request, reply) => reply,
  onConnect,
  onDisconnect,
}: ServerOptions): Server {
  const connections = new Set<Connection>();
  const pending = createPendingRequests(firstRequestId);
  const closed = createDeferred<void>();
  let nextConnectionId = 0;
  let closing = false;

  const legacy = createLegacyGeneration();
  const notifier = createNotifier({ connections: () => connections, subscriptions, clock, legacy });
  const checker = createChecker(definitions);
  const requests = createClientRequests({ pending, subscriptions, checker, legacy, log });
  const dispatch = createDispatcher({
    handlers: createHandlers({ notifier, requests, checker, connections }),
    checker,
    lanes,
    log,
    maxInFlight,
    describeFault,
    explain(connection, method) {
      const message = explainUnserved(method);
      if (message !== null) notifier.to([connection], "warning", { threadId: null, message });
    },
  });

  return {
    connections,
    notifier,
    requests,
    connect(transport) {
      if (closing) return transport.close();
      const connection = openConnection({
        id: nextConnectionId++,
        transport,
        pending: requests.seenBy,
        waitingBytes: () => sumOf(connections),
        clock,
        log,
        onRequest: (from, request, reply) => dispatch(from, request, watchReply(request, reply)),
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

function sumOf(connections: Iterable<Connection>): number {
  let bytes = 0;
  for (const { backlog } of connections) bytes += backlog.waitingBytes();
  return bytes;
}
