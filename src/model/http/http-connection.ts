/** A keep-alive connection to a server, for one request at a time. */
import type { Socket } from "node:net";
import type { Connector } from "../../base/network/connector.ts";
import type { HttpBody } from "./http-client.ts";
import { bodyLength } from "./request-head.ts";
import type { ResponseHead } from "./response-head.ts";
import { ResponseParser } from "./response-parser.ts";

/** Receives one response. */
export interface Exchange {
  onHead(head: ResponseHead): void;
  /** The bytes are only valid during the call. */
  onBody(bytes: Buffer): void;
  /** The last call: null, or the error that ended the connection before the end of the response. */
  onEnd(error: Error | null): void;
}

export interface HttpConnection {
  /** Sends a request; only while the connection is idle or new. */
  send(head: string, body: HttpBody, exchange: Exchange): void;
  /** Whether it has ever been connected. */
  readonly isConnected: boolean;
  /** Whether it has answered a request before the current one. */
  readonly isReused: boolean;
  pause(): void;
  resume(): void;
  /** Closes the connection immediately; the current exchange ends with the error. */
  destroy(error: Error): void;
}

export interface ConnectionEvents {
  /** The connection can be used for another request. */
  readonly onIdle: (connection: HttpConnection) => void;
  readonly onClosed: (connection: HttpConnection) => void;
}

/** The keep-alive timeout of idle connections, unless the server names a shorter one. */
const IDLE_MS = 90_000;

export function openHttpConnection(
  connector: Connector,
  { onIdle, onClosed }: ConnectionEvents,
): HttpConnection {
  let socket: Socket | null = null;
  let current: { readonly exchange: Exchange; readonly parser: ResponseParser; idleMs: number } | null = null;
  let waiting: (() => void) | null = null;
  let isConnected = false;
  let isReused = false;
  let isClosed = false;

  function attach(opened: Socket): void {
    if (isClosed) return void opened.destroy();
    socket = opened;
    if (opened.connecting) opened.once(connector.ready, markConnected);
    else markConnected();
    opened.on("error", close);
    opened.on("timeout", () => close(new Error("the connection was idle")));
    opened.once("end", onSocketEnd);
    opened.once("close", onSocketEnd);
    waiting?.();
    waiting = null;
  }

  function markConnected(): void {
    isConnected = true;
  }

  function onSocketEnd(): void {
    current?.parser.finish();
    if (current?.parser.isDone) complete();
    close(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
  }

  function close(error: Error): void {
    if (isClosed) return;
    isClosed = true;
    socket?.destroy();
    onClosed(connection);
    const ended = current?.exchange;
    current = null;
    ended?.onEnd(error);
  }

  function onBytes(bytes: Buffer): void {
    if (isClosed) return;
    // An idle server has nothing to say: these bytes would be taken for the next response.
    if (current === null) return close(new Error("the server sent more than the response"));
    const { parser } = current;
    const fault = parser.push(bytes);
    if (parser.isDone) complete();
    else if (fault !== null) close(new Error(fault));
  }

  function complete(): void {
    if (current === null) return;
    const { exchange, parser, idleMs } = current;
    current = null;
    isReused = true;
    // Where the server answered before it had the whole request, the rest of it would disturb the next response.
    const isKept = parser.keepsAlive && !parser.hasSurplus && socket?.writableLength === 0 && idleMs > 0;
    if (!isKept || isClosed) close(new Error("the server closes the connection"));
    else {
      socket?.setTimeout(idleMs);
      socket?.unref();
      // Otherwise its end would not be noticed.
      if (socket?.isPaused()) socket.resume();
    }
    exchange.onEnd(null);
    if (isKept && !isClosed) onIdle(connection);
  }

  function begin(head: string, body: HttpBody): void {
    if (socket === null) return;
    if (isReused) socket.setTimeout(0).ref();
    if (bodyLength(body) <= MAX_JOINED_BYTES) return void socket.write(join(head, body));
    socket.cork();
    socket.write(head, "latin1");
    for (const piece of body) socket.write(piece);
    socket.uncork();
  }

  const connection: HttpConnection = {
    send(head, body, exchange) {
      const parser = new ResponseParser({
        onHead(received) {
          if (current !== null) current.idleMs = idleTimeOf(received);
          exchange.onHead(received);
        },
        onBody: (bytes) => exchange.onBody(bytes),
      });
      current = { exchange, parser, idleMs: IDLE_MS };
      if (socket === null) waiting = () => begin(head, body);
      else begin(head, body);
    },
    get isConnected() {
      return isConnected;
    },
    get isReused() {
      return isReused;
    },
    pause: () => void socket?.pause(),
    resume: () => void socket?.resume(),
    destroy: close,
  };
  connector.connect({ onSocket: attach, onError: close, onBytes });
  return connection;
}

/** A short request is copied into one buffer: that takes 10 µs less than a write of several pieces. */
const MAX_JOINED_BYTES = 64 * 1024;

function join(head: string, body: HttpBody): Buffer {
  const whole = Buffer.allocUnsafeSlow(head.length + bodyLength(body));
  let at = whole.write(head, "latin1");
  for (const piece of body) {
    at += typeof piece === "string" ? whole.write(piece, at) : piece.copy(whole, at);
  }
  return whole;
}

/** The server closes an idle connection after the time in this header; a request at that moment would be lost. */
function idleTimeOf({ headers }: ResponseHead): number {
  const hint = /^timeout=(\d{1,6})\b/.exec(String(headers["keep-alive"] ?? ""))?.[1];
  return hint === undefined ? IDLE_MS : Math.min(IDLE_MS, Number(hint) * 1000);
}
