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

export function openHttpConnection(connector: Connector, events: ConnectionEvents): HttpConnection {
  const connection = new SocketConnection(events);
  connection.connect(connector);
  return connection;
}

class SocketConnection implements HttpConnection {
  isConnected = false;
  isReused = false;
  readonly #events: ConnectionEvents;
  #socket: Socket | null = null;
  #current: { readonly exchange: Exchange; readonly parser: ResponseParser; idleMs: number } | null = null;
  /** Sends the first request once there is a socket. */
  #begin: (() => void) | null = null;
  #isClosed = false;

  constructor(events: ConnectionEvents) {
    this.#events = events;
  }

  connect(connector: Connector): void {
    connector.connect({
      onSocket: (socket) => this.#attach(socket, connector.ready),
      onError: (error) => this.destroy(error),
      onBytes: (bytes) => this.#read(bytes),
    });
  }

  send(head: string, body: HttpBody, exchange: Exchange): void {
    const parser = new ResponseParser({
      onHead: (received) => {
        if (this.#current !== null) this.#current.idleMs = idleTimeOf(received);
        exchange.onHead(received);
      },
      onBody: (bytes) => exchange.onBody(bytes),
    });
    this.#current = { exchange, parser, idleMs: IDLE_MS };
    if (this.#socket === null) this.#begin = () => this.#write(head, body);
    else this.#write(head, body);
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  destroy(error: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket?.destroy();
    this.#events.onClosed(this);
    const ended = this.#current?.exchange;
    this.#current = null;
    ended?.onEnd(error);
  }

  #attach(socket: Socket, ready: Connector["ready"]): void {
    if (this.#isClosed) return void socket.destroy();
    this.#socket = socket;
    const markConnected = (): void => {
      this.isConnected = true;
    };
    if (socket.connecting) socket.once(ready, markConnected);
    else markConnected();
    socket.on("error", (error) => this.destroy(error));
    socket.on("timeout", () => this.destroy(new Error("the connection was idle")));
    socket.once("end", () => this.#onSocketEnd());
    socket.once("close", () => this.#onSocketEnd());
    this.#begin?.();
    this.#begin = null;
  }

  #onSocketEnd(): void {
    this.#current?.parser.finish();
    if (this.#current?.parser.isDone) this.#complete();
    this.destroy(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
  }

  #read(bytes: Buffer): void {
    if (this.#isClosed) return;
    // An idle server has nothing to say: these bytes would be taken for the next response.
    if (this.#current === null) return this.destroy(new Error("the server sent more than the response"));
    const { parser } = this.#current;
    const fault = parser.push(bytes);
    if (parser.isDone) this.#complete();
    else if (fault !== null) this.destroy(new Error(fault));
  }

  #complete(): void {
    if (this.#current === null) return;
    const { exchange, parser, idleMs } = this.#current;
    const socket = this.#socket;
    this.#current = null;
    this.isReused = true;
    // Where the server answered before it had the whole request, the rest of it would disturb the next response.
    const isKept = parser.keepsAlive && !parser.hasSurplus && socket?.writableLength === 0 && idleMs > 0;
    if (!isKept || this.#isClosed) this.destroy(new Error("the server closes the connection"));
    else {
      socket.setTimeout(idleMs);
      socket.unref();
      // Otherwise its end would not be noticed.
      if (socket.isPaused()) socket.resume();
    }
    exchange.onEnd(null);
    if (isKept && !this.#isClosed) this.#events.onIdle(this);
  }

  #write(head: string, body: HttpBody): void {
    const socket = this.#socket;
    if (socket === null) return;
    if (this.isReused) socket.setTimeout(0).ref();
    if (bodyLength(body) <= MAX_JOINED_BYTES) return void socket.write(join(head, body));
    socket.cork();
    socket.write(head, "latin1");
    for (const piece of body) socket.write(piece);
    socket.uncork();
  }
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
