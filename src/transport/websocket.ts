import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import type { Logger } from "../base/logger.ts";
import { createBatchedWriter } from "./batched-writer.ts";
import type { CloseReason, Transport, TransportLimits } from "./transport.ts";

/** How long a client may take to hear the last words and to go. */
const LAST_WORDS_MS = 2000;

export interface WebSocketTransportOptions {
  readonly websocket: WebSocket;
  /** The socket underneath, which tells how much waits and joins the frames of a batch in one write. */
  readonly socket: Socket;
  readonly limits: TransportLimits;
  readonly log: Logger;
}

/**
 * One message a text frame. A client that does not read is disconnected as soon as more than
 * `outboundBytes` wait for it, so that it costs bounded memory and delays nobody.
 */
export function createWebSocketTransport({
  websocket,
  socket,
  limits,
  log,
}: WebSocketTransportOptions): Transport {
  let onClosed: ((reason: CloseReason) => void) | null = null;
  let ended = false;

  function end(reason: CloseReason): void {
    if (ended) return;
    ended = true;
    onClosed?.(reason);
  }

  const writer = createBatchedWriter((texts) => {
    if (ended || websocket.readyState !== websocket.OPEN) return;
    socket.cork();
    for (const text of texts) websocket.send(text);
    socket.uncork();
    const waitingBytes = socket.writableLength;
    if (waitingBytes <= limits.outboundBytes) return;
    log.warn("disconnected a client that does not read", { waitingBytes });
    end({ kind: "overflow", waitingBytes });
    websocket.terminate();
  });

  return {
    start(receiver) {
      onClosed = (reason) => receiver.closed(reason);
      websocket.on("message", (data: RawData, isBinary: boolean) => {
        if (isBinary) log.warn("ignored a binary frame");
        else if (!ended) receiver.message(textOf(data));
      });
      websocket.on("error", (error: Error) => end({ kind: "failed", message: error.message }));
      websocket.on("close", () => end({ kind: "ended" }));
    },
    send: (text, kind) => writer.push(text, kind),
    close() {
      writer.flush();
      websocket.close();
      const timer = setTimeout(() => websocket.terminate(), LAST_WORDS_MS);
      timer.unref();
      websocket.once("close", () => clearTimeout(timer));
      end({ kind: "ended" });
    },
  };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}
