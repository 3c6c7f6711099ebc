import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Logger } from "../base/logger.ts";
import { formatSocketAddress, isLoopback } from "./listen-address.ts";
import type { ConnectionOrigin, Transport, TransportLimits } from "./transport.ts";
import { ClosingWebSocket, createWebSocketTransport } from "./websocket.ts";
import type { RefuseUpgrade } from "./websocket-auth.ts";

export interface Listener {
  /** The bound address; for a unix socket its path. */
  readonly address: AddressInfo | string;
  /** Takes no new connection and waits for the end of those that are open; what is no WebSocket yet is cut off. */
  close(): Promise<void>;
}

export interface WebSocketListenerOptions {
  /** Binds the server, for example to a port or to a path. */
  readonly listen: (server: Server) => void;
  /** Whether web pages are kept out by their `Origin` and, on loopback, by a foreign `Host`. */
  readonly guardAgainstBrowsers: boolean;
  readonly refuseUpgrade: RefuseUpgrade | null;
  /** Looks at where a connection comes from, and returns why it is refused, or null. */
  readonly refuseCaller?: (socket: Socket) => Promise<string | null>;
  readonly limits: TransportLimits;
  readonly log: Logger;
  readonly onConnection: (transport: Transport) => void;
  /** What `/readyz` asks; without it a server that listens is ready. Never rejects. */
  readonly isUsable?: (() => Promise<boolean>) | undefined;
}

const HEALTH_PATHS = new Set(["/readyz", "/healthz"]);
const UNUSABLE = "the server cannot be used: its log says why";

/** How long a connection may take to say what it wants. */
const HANDSHAKE_MS = 10_000;
/** Connections to one listener, WebSockets or not yet; further ones are closed at once. */
const MAX_CONNECTIONS = 4096;

/** Serves WebSocket connections and the two health probes on one HTTP listener. */
export async function openWebSocketListener(options: WebSocketListenerOptions): Promise<Listener> {
  const server = createServer({
    headersTimeout: HANDSHAKE_MS,
    requestTimeout: HANDSHAKE_MS,
    connectionsCheckingInterval: HANDSHAKE_MS / 2,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const websockets = new WebSocketServer({
    noServer: true,
    maxPayload: options.limits.messageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
    WebSocket: ClosingWebSocket,
  });

  server.on("request", (request, response) => {
    const answer = (status: number, body: string) =>
      response.writeHead(status, { "content-length": Buffer.byteLength(body) }).end(body);
    if (isForbidden(request, server, options)) answer(403, "");
    else if (HEALTH_PATHS.has(pathOf(request)) && !isRead(request)) answer(405, "");
    else if (pathOf(request) === "/readyz" && options.isUsable !== undefined)
      void options.isUsable().then((isUsable) => (isUsable ? answer(200, "") : answer(503, UNUSABLE)));
    else if (HEALTH_PATHS.has(pathOf(request))) answer(200, "");
    else answer(400, "Connection header did not include 'upgrade'");
  });
  server.on("upgrade", (request, socket, head) => {
    if (isForbidden(request, server, options)) return refuse(socket, 403, "");
    // Several are judged as one: of two headers `headers` shows the first, and a proxy may have judged the other.
    const authorization = request.headersDistinct["authorization"]?.join(", ");
    const reason = options.refuseUpgrade?.(authorization) ?? null;
    if (reason !== null) return refuse(socket, 401, reason);
    if (request.headers["sec-websocket-version"] !== "13")
      return refuse(socket, 400, "the WebSocket version must be 13");
    void admit(request, socket as Socket, head);
  });

  /** Nothing that the caller has sent is looked at before it is known where it comes from. */
  async function admit(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { limits, log, refuseCaller, onConnection } = options;
    if (refuseCaller !== undefined) {
      const onError = () => socket.destroy();
      socket.on("error", onError);
      const reason = await refuseCaller(socket);
      socket.off("error", onError);
      if (reason !== null) return refuse(socket, 403, reason);
      if (socket.destroyed) return;
    }
    websockets.handleUpgrade(request, socket, head, (websocket) =>
      onConnection(createWebSocketTransport({ websocket, socket, origin: originOf(socket), limits, log })),
    );
  }

  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
    options.listen(server);
  });
  const address = server.address();
  if (address === null) throw new Error("the listener was closed while it opened");
  return {
    address,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // One that never says anything would otherwise be waited for.
        server.closeAllConnections();
      }),
  };
}

/**
 * A page in a browser sends its origin with every WebSocket. A page that rebinds its own name to
 * 127.0.0.1 is betrayed by that name in `Host`.
 */
function isForbidden(
  request: IncomingMessage,
  server: Server,
  { guardAgainstBrowsers }: WebSocketListenerOptions,
): boolean {
  if (!guardAgainstBrowsers) return false;
  if (request.headers.origin !== undefined) return true;
  const bound = server.address();
  const onLoopback = bound !== null && typeof bound !== "string" && isLoopback(bound.address);
  return onLoopback && !isLoopbackName(request.headers.host ?? "");
}

function isLoopbackName(host: string): boolean {
  const name = host
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || isLoopback(name);
}

function originOf({ remoteAddress, remotePort }: Socket): ConnectionOrigin {
  if (remoteAddress === undefined || remotePort === undefined) return { transport: "unix", from: null };
  return { transport: "websocket", from: formatSocketAddress(remoteAddress, remotePort) };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function pathOf(request: IncomingMessage): string {
  return request.url?.split("?", 1)[0] ?? "";
}

function refuse(socket: Duplex, status: number, body: string): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Connection: close",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.on("error", () => socket.destroy());
  // Nobody is waited for who has no right to be here.
  socket.once("finish", () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
