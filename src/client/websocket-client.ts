import type { CloseReason, Transport } from "../transport/transport.ts";
import { type Client, type ClientOptions, openClient } from "./client.ts";

export interface ConnectOptions extends ClientOptions {
  /** The token of a server with `--ws-auth`; browsers cannot send one. */
  readonly token?: string;
}

/** The library's own limit is below what a server may answer with; this is what a text can hold. */
const MAX_MESSAGE_BYTES = 512 * 1024 * 1024;

/** The part of the WebSocket interface that browsers and Node libraries share. */
interface StandardWebSocket {
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: "open" | "close", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "error", listener: (event: { message?: string }) => void): void;
}

/** Connects to `ws://…`. */
export async function connect(url: string, { token, ...options }: ConnectOptions = {}): Promise<Client> {
  const socket = await openSocket(url, token);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", ({ message }) =>
      reject(new Error(`cannot connect to ${url}: ${message ?? "the connection was refused"}`)),
    );
  });
  return openClient(toTransport(socket), options);
}

async function openSocket(url: string, token: string | undefined): Promise<StandardWebSocket> {
  if (typeof process === "undefined") return new (globalThis as unknown as BrowserGlobals).WebSocket(url);
  const { WebSocket } = await import("ws");
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new WebSocket(url, { headers, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES });
}

interface BrowserGlobals {
  readonly WebSocket: new (url: string) => StandardWebSocket;
}

function toTransport(socket: StandardWebSocket): Transport {
  return {
    start(receiver) {
      let reason: CloseReason = { kind: "ended" };
      socket.addEventListener("message", ({ data }) => receiver.message(String(data)));
      socket.addEventListener("error", ({ message }) => {
        reason = { kind: "failed", message: message ?? "unknown" };
      });
      socket.addEventListener("close", () => receiver.closed(reason));
    },
    send: (text) => socket.send(text),
    close: () => socket.close(),
  };
}
