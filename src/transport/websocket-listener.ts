import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Logger } from "../base/logger.ts";
import { originOf, type TrustedProxies } from "./caller.ts";
import { createGate, type GateOptions, isRefusal } from "./gate.ts";
import { isLoopback } from "./listen-address.ts";
import type { HttpRefusal, RefusedRequest } from "./refusal.ts";
import type { TokenHolder } from "./signed-bearer.ts";
import { chooseProtocol, TICKET_MS } from "./tickets.ts";
import type { TlsFiles } from "./tls-files.ts";
import type { ConnectionOrigin, Transport, TransportLimits } from "./transport.ts";
import { ClosingWebSocket, createWebSocketTransport } from "./websocket.ts";

export interface Listener {
  /** The bound address; for a unix socket its path, or null where somebody else has bound it. */
  readonly address: AddressInfo | string | null;
  /** Takes no new connection and waits for the end of those that are open; what is no WebSocket yet is cut off. */
  close(): Promise<void>;
}

export interface WebSocketListenerOptions extends Omit<GateOptions, "isOnLoopback"> {
  /** Binds the server, for example to a port or to a path. */
  readonly listen: (server: Server) => void;
  /** Looks at where a connection comes from, and returns why it is refused, or null. */
  readonly refuseCaller?: (socket: Socket) => Promise<string | null>;
  /** Without it nothing is encrypted. */
  readonly tls?: TlsFiles | null;
  readonly trustedProxies?: TrustedProxies | null;
  readonly limits: TransportLimits;
  readonly log: Logger;
  readonly onConnection: (transport: Transport) => void;
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
  /** Why the server is not ready, in a line for `/readyz`; without it a server that listens is. Never rejects. */
  readonly unreadiness?: (() => Promise<string | null>) | undefined;
  /** What `/metrics` answers to whoever has the token, where one is asked for. Never rejects. */
  readonly metrics?: MetricsPage | undefined;
}

/** A page of text that is made when it is asked for. */
export interface MetricsPage {
  readonly contentType: string;
  read(): Promise<string>;
}

const HEALTH_PATHS = new Set(["/readyz", "/healthz"]);

/** How long a connection may take to say what it wants. */
const HANDSHAKE_MS = 10_000;
/** Connections to one listener, WebSockets or not yet; further ones are closed at once. */
const MAX_CONNECTIONS = 4096;
const TIMEOUTS = {
  headersTimeout: HANDSHAKE_MS,
  requestTimeout: HANDSHAKE_MS,
  connectionsCheckingInterval: HANDSHAKE_MS / 2,
};

/** Serves WebSocket connections, the two health probes, metrics and tickets on one HTTP listener. */
export async function openWebSocketListener(options: WebSocketListenerOptions): Promise<Listener> {
  const { limits, log, tickets, trustedProxies = null, onRefused, refuseCaller, onConnection } = options;
  const server = createHttpServer(options.tls ?? null);
  const websockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.messageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
    handleProtocols: chooseProtocol,
    WebSocket: ClosingWebSocket,
  });
  const gate = createGate({ ...options, isOnLoopback: () => isBoundToLoopback(server) });

  function report(request: IncomingMessage, refusal: HttpRefusal): void {
    const { host = null, origin: page = null } = request.headers;
    onRefused?.({ ...refusal, origin: originOf(request, trustedProxies), host, page });
  }

  server.on("request", (request, response) => {
    const judged = gate.refuse(request) ?? (isForHolders(request) ? gate.judgeBearer(request) : null);
    if (isRefusal(judged)) report(request, judged);
    void answerOf(request, judged, options).then(({ status, body, headers }) =>
      response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body),
    );
  });
  /** Whether only those get it who have the token. */
  const isForHolders = ({ url, method }: IncomingMessage): boolean => {
    const path = pathOf(url);
    if (path === "/metrics") return options.metrics !== undefined;
    return tickets !== null && method === "POST" && path === "/ticket";
  };

  server.on("upgrade", (request, socket, head) => {
    const judged = gate.refuse(request) ?? gate.judgeUpgrade(request);
    if (isRefusal(judged)) {
      report(request, judged);
      return refuse(socket, judged);
    }
    if (request.headers["sec-websocket-version"] !== "13")
      return refuse(socket, { status: 400, reason: "the WebSocket version must be 13" });
    void admit({ request, socket: socket as Socket, head, holder: judged });
  });

  /** Nothing that the caller has sent is looked at before it is known where it comes from. */
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
    const origin = { ...originOf(request, trustedProxies), ...ofHolder(holder) };
    websockets.handleUpgrade(request, socket, head, (websocket) =>
      onConnection(createWebSocketTransport({ websocket, socket, origin, limits, log })),
    );
  }

  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
    options.listen(server);
  });
  return {
    address: server.address(),
    close: () =>
      new Promise((resolve) => {
        options.tls?.close();
        server.close(() => resolve());
        // One that never says anything would otherwise be waited for.
        server.closeAllConnections();
      }),
  };
}

/** A caller that has shown what it was asked for. */
interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly holder: TokenHolder | null;
}

function ofHolder(holder: TokenHolder | null): Pick<ConnectionOrigin, "subject" | "expiresAtMs"> {
  if (holder === null) return {};
  const { subject, expiresAtMs } = holder;
  return { expiresAtMs, ...(subject !== null && { subject }) };
}

function createHttpServer(tls: TlsFiles | null): Server {
  if (tls === null) {
    const server = createServer(TIMEOUTS);
    server.maxConnections = MAX_CONNECTIONS;
    return server;
  }
  const server = createTlsServer({ ...TIMEOUTS, ...tls.current, handshakeTimeout: HANDSHAKE_MS });
  server.maxConnections = MAX_CONNECTIONS;
  tls.onChange((pair) => server.setSecureContext(pair));
  return server;
}

function isBoundToLoopback(server: Server): boolean {
  const bound = server.address();
  return bound !== null && typeof bound !== "string" && isLoopback(bound.address);
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const PLAIN = { "content-type": "text/plain; charset=utf-8" };
const EMPTY: Answer = { status: 200, body: "", headers: {} };

/** What a request gets that is no upgrade. */
async function answerOf(
  { url, method }: IncomingMessage,
  judged: HttpRefusal | TokenHolder | null,
  { tickets, unreadiness, metrics }: Pick<WebSocketListenerOptions, "tickets" | "unreadiness" | "metrics">,
): Promise<Answer> {
  const plain = (status: number, body: string): Answer => ({ status, body, headers: PLAIN });
  if (isRefusal(judged)) return plain(judged.status, judged.reason);
  const path = pathOf(url);
  if (path === "/ticket" && tickets !== null)
    return method === "POST" ? answerTicket(tickets.issue(judged)) : plain(405, "ask with POST");
  const isMetrics = path === "/metrics" && metrics !== undefined;
  if (!HEALTH_PATHS.has(path) && !isMetrics) return plain(400, "Connection header did not include 'upgrade'");
  if (method !== "GET" && method !== "HEAD") return plain(405, "ask with GET or HEAD");
  if (isMetrics) return answerMetrics(metrics);
  const reason = path === "/readyz" ? ((await unreadiness?.()) ?? null) : null;
  return reason === null ? EMPTY : plain(503, reason);
}

async function answerMetrics({ contentType, read }: MetricsPage): Promise<Answer> {
  return {
    status: 200,
    body: await read(),
    headers: { "content-type": contentType, "cache-control": "no-store" },
  };
}

function answerTicket(ticket: string | null): Answer {
  if (ticket === null)
    return { status: 429, body: "too many tickets wait to be used: try again later", headers: PLAIN };
  const body = JSON.stringify({ ticket, expiresInSeconds: TICKET_MS / 1000 });
  return { status: 200, body, headers: { "content-type": "application/json", "cache-control": "no-store" } };
}

function pathOf(url = ""): string {
  return url.split("?", 1)[0] ?? "";
}

function refuse(socket: Duplex, { status, reason }: HttpRefusal): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Connection: close",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(reason)}`,
  ];
  socket.on("error", () => socket.destroy());
  // Nobody is waited for who has no right to be here.
  socket.once("finish", () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n${reason}`);
}
