import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { isSentByTls, originOf, type TrustedProxies } from "./caller.ts";
import { createGate, type GateOptions, isHttpRefusal } from "./gate.ts";
import { createHttpRequests } from "./http-requests.ts";
import type { HttpRoutes } from "./http-routes.ts";
import { isLoopback } from "./listen-address.ts";
import type { HttpRefusal, RefusedRequest } from "./refusal.ts";
import { createTextFrameEncoder } from "./text-frames.ts";
import { chooseProtocol } from "./tickets.ts";
import type { TlsFiles } from "./tls-files.ts";
import type { Sessions, TokenHolder } from "./token-holder.ts";
import type { ConnectionOrigin, Transport, TransportLimits } from "./transport.ts";
import { ClosingWebSocket, createWebSocketTransport } from "./websocket.ts";

export interface Listener {
  /** The bound address; for a unix socket its path, or null if a service manager handed over the socket. */
  readonly address: AddressInfo | string | null;
  /** Stops accepting, ends answers, and waits for open WebSockets to end; other connections are closed. */
  close(): Promise<void>;
}

export interface WebSocketListenerOptions extends Omit<GateOptions, "isOnLoopback" | "page"> {
  /** The sessions of the page that this server serves itself; absent without a page. */
  readonly sessions?: Sessions | null | undefined;
  /** Binds the server, for example to a port or to a path. */
  readonly listen: (server: Server) => void;
  /** Checks the origin of a connection; returns null or why it is refused. */
  readonly refuseCaller?: (socket: Socket) => Promise<string | null>;
  /** Enables TLS. */
  readonly tls?: TlsFiles | null;
  readonly trustedProxies?: TrustedProxies | null;
  readonly limits: TransportLimits;
  readonly log: Logger;
  readonly onConnection: (transport: Transport) => void;
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
  /** Answers requests other than upgrades. */
  readonly routes: HttpRoutes;
  /** Shorter in tests. */
  readonly handshakeMs?: number;
}

/** The timeout for receiving a request and for the TLS handshake; answers may take longer. */
const HANDSHAKE_MS = 10_000;
/** The maximum number of connections per listener, including those before the upgrade; further ones are closed. */
const MAX_CONNECTIONS = 4096;

/** Serves WebSocket connections, and the requests that the routes answer, on one HTTP listener. */
export async function openWebSocketListener(options: WebSocketListenerOptions): Promise<Listener> {
  const { limits, log, routes, trustedProxies = null, onRefused, refuseCaller, onConnection } = options;
  const server = createHttpServer(options.tls ?? null, options.handshakeMs ?? HANDSHAKE_MS);
  const websockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.messageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
    handleProtocols: chooseProtocol,
    WebSocket: ClosingWebSocket,
  });
  const encodeFrames = createTextFrameEncoder();
  const gate = createGate({
    ...options,
    isOnLoopback: () => isBoundToLoopback(server),
    page:
      options.sessions == null
        ? null
        : { sessions: options.sessions, isSentByTls: (request) => isSentByTls(request, trustedProxies) },
  });

  function report(request: IncomingMessage, refusal: HttpRefusal): void {
    const { host = null, origin: page = null } = request.headers;
    onRefused?.({ ...refusal, origin: originOf(request, trustedProxies), host, page });
  }

  const { stallMs } = limits;
  const requests = createHttpRequests({ gate, routes, refuseCaller, trustedProxies, stallMs, log, report });
  server.on("request", requests.serve);

  server.on("upgrade", (request, socket, head) => {
    const judgement = gate.refuse(request) ?? gate.judgeUpgrade(request);
    const proceed = (judged: Awaited<typeof judgement>): void => {
      if (isHttpRefusal(judged)) {
        report(request, judged);
        return refuse(socket, judged);
      }
      if (request.headers["sec-websocket-version"] !== "13")
        return refuse(socket, { status: 400, reason: "the WebSocket version must be 13" });
      void admit({ request, socket: socket as Socket, head, holder: judged });
    };
    if (!(judgement instanceof Promise)) return proceed(judgement);
    void awaitJudgement(judgement, socket as Socket, log).then((judged) => {
      if (!socket.destroyed) proceed(judged);
    });
  });

  /** The caller's data is not processed before its origin is checked. */
  async function admit({ request, socket, head, holder }: Upgrade): Promise<void> {
    if (refuseCaller !== undefined) {
      const onError = () => socket.destroy();
      socket.on("error", onError);
      const reason = await refuseCaller(socket);
      socket.off("error", onError);
      if (reason !== null) {
        const refused = { status: 403, reason };
        report(request, refused);
        return refuse(socket, refused);
      }
      if (socket.destroyed) return;
    }
    const origin = { ...originOf(request, trustedProxies), ...holderFields(holder) };
    websockets.handleUpgrade(request, socket, head, (websocket) =>
      onConnection(createWebSocketTransport({ websocket, socket, encodeFrames, origin, limits, log })),
    );
  }

  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
    options.listen(server);
  });
  return {
    address: server.address(),
    async close() {
      options.tls?.close();
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      await requests.end();
      // Otherwise `close` would wait for connections that never send a request.
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A session is looked up in the store. */
async function awaitJudgement(
  judgement: Promise<HttpRefusal | TokenHolder | null>,
  socket: Socket,
  log: Logger,
): Promise<HttpRefusal | TokenHolder | null> {
  const onError = () => socket.destroy();
  socket.on("error", onError);
  try {
    return await judgement;
  } catch (error) {
    log.error("a session could not be looked up", { reason: messageOf(error) });
    return { status: 500, reason: "the session could not be looked up: the log of the server says why" };
  } finally {
    socket.off("error", onError);
  }
}

/** An authorized upgrade request. */
interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly holder: TokenHolder | null;
}

function holderFields(
  holder: TokenHolder | null,
): Pick<ConnectionOrigin, "subject" | "scopes" | "expiresAtMs" | "revocation"> {
  if (holder === null) return {};
  const { subject, scopes, expiresAtMs, revocation } = holder;
  return {
    scopes,
    ...(subject !== null && { subject }),
    ...(expiresAtMs !== null && { expiresAtMs }),
    ...(revocation !== undefined && { revocation }),
  };
}

function createHttpServer(tls: TlsFiles | null, handshakeMs: number): Server {
  const timeouts = {
    headersTimeout: handshakeMs,
    requestTimeout: handshakeMs,
    connectionsCheckingInterval: handshakeMs / 2,
  };
  if (tls === null) {
    const server = createServer(timeouts);
    server.maxConnections = MAX_CONNECTIONS;
    return server;
  }
  const server = createTlsServer({ ...timeouts, ...tls.current, handshakeTimeout: handshakeMs });
  server.maxConnections = MAX_CONNECTIONS;
  tls.onChange((pair) => server.setSecureContext(pair));
  return server;
}

function isBoundToLoopback(server: Server): boolean {
  const bound = server.address();
  return bound !== null && typeof bound !== "string" && isLoopback(bound.address);
}

function refuse(socket: Duplex, { status, reason }: HttpRefusal): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Connection: close",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(reason)}`,
  ];
  socket.on("error", () => socket.destroy());
  // Do not wait for the other end of a rejected connection to close.
  socket.once("finish", () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n${reason}`);
}
