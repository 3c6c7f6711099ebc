/** A connection as text messages in both directions, over lines on stdio or WebSocket frames. */
import WebSocket from "ws";
import type { Child } from "./child.ts";
import { within } from "./within.ts";

export type Wire = {
  send(text: string): void;
  /** Sends a frame of another kind; stdio has none and ignores it. */
  sendFrame(kind: "binary" | "ping", bytes: Uint8Array): void;
  /** Sends the end of input and keeps the underlying connection open. */
  sendLastFrame(): void;
  onText(listener: (text: string) => void): void;
  onPong(listener: (bytes: Uint8Array) => void): void;
  /** Closes our side normally: EOF on stdio, a close frame on a WebSocket. */
  close(): void;
  readonly ended: Promise<void>;
};

export type WebSocketOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly milliseconds?: number;
};

export function createStdioWire(child: Child): Wire {
  const listeners: ((text: string) => void)[] = [];
  let rest = "";
  child.onStdout((text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) for (const listener of listeners) listener(line);
  });
  return {
    send: (text) => child.write(`${text}\n`),
    sendFrame: () => undefined,
    sendLastFrame: () => undefined,
    onText: (listener) => listeners.push(listener),
    onPong: () => undefined,
    close: () => child.endInput(),
    ended: child.exit.then(() => undefined),
  };
}

/** `url` may also be `ws+unix:PATH:/` for a Unix socket. */
export async function openWebSocketWire(url: string, options: WebSocketOptions = {}): Promise<Wire> {
  const socket = new WebSocket(url, { headers: { ...options.headers }, perMessageDeflate: false });
  return toWire(socket, options.milliseconds);
}

/** Resolves when it is open. */
export async function toWire(socket: WebSocket, milliseconds = 10_000): Promise<Wire> {
  const ended = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.once("open", () => resolve());
    socket.once("error", reject);
  });
  // Messages can arrive in the same tick as the upgrade, before the caller can listen.
  const early: string[] = [];
  const listeners: ((text: string) => void)[] = [];
  socket.on("message", (data: Buffer, isBinary) => {
    const text = isBinary ? `<binary frame of ${data.byteLength} bytes>` : data.toString("utf8");
    if (listeners.length === 0) early.push(text);
    for (const listener of listeners) listener(text);
  });
  await within(opened, milliseconds, `a WebSocket to ${socket.url}`);
  socket.on("error", () => undefined);
  return {
    send: (text) => socket.send(text),
    sendFrame: (kind, bytes) => (kind === "ping" ? socket.ping(bytes) : socket.send(bytes, { binary: true })),
    sendLastFrame: () => {
      socket.close();
      socket.pause();
    },
    onText: (listener) => {
      listeners.push(listener);
      for (const text of early.splice(0)) listener(text);
    },
    onPong: (listener) => socket.on("pong", listener),
    close: () => socket.close(),
    ended,
  };
}
