import type { Socket } from "node:net";
import { type RawData, WebSocket } from "ws";
import type { Logger } from "../base/logger.ts";
import { createOutbox, isStreamFull } from "./outbox.ts";
import type { CloseReason, ConnectionOrigin, Transport, TransportLimits } from "./transport.ts";

/** How long a client may take to read what is left and to close. */
const CLOSE_GRACE_MS = 2000;

/** Says when it begins to close, from either end: a client that has said its last may keep the socket open for long. */
export class ClosingWebSocket extends WebSocket {
  override close(code?: number, data?: string | Buffer): void {
    super.close(code, data);
    this.emit("closing");
  }
}

export interface WebSocketTransportOptions {
  /** Must not answer pings by itself: a flood of them is answered here, and within limits. */
  readonly websocket: ClosingWebSocket;
  /** The socket underneath, which knows how much waits and joins the frames of a batch in one write. */
  readonly socket: Socket;
  readonly origin: ConnectionOrigin;
  readonly limits: TransportLimits;
  readonly log: Logger;
}

/**
 * One message a text frame, or several where it is large. While more than `outboundBytes` wait for a client, nothing
 * further is read from it. It is disconnected when so much waits that it did not ask for, or when it has more than
 * that waiting and takes nothing for `stallMs`: a client that does not read costs bounded memory and delays nobody.
 */
export function createWebSocketTransport(options: WebSocketTransportOptions): Transport {
  const { websocket, socket, origin, limits, log } = options;
  let onClosed: ((reason: CloseReason) => void) | null = null;
  let ended = false;
  const isFull = () => isStreamFull(socket);
  const isOpen = () => !ended && websocket.readyState === websocket.OPEN;

  const outbox = createOutbox({
    sink: {
      write(texts) {
        if (!isOpen()) return;
        socket.cork();
        for (const text of texts) websocket.send(text);
        socket.uncork();
      },
      writePart(part, isLast) {
        if (isOpen()) websocket.send(part, { fin: isLast });
      },
      isFull,
      bufferedBytes: () => socket.writableLength,
    },
    limits: () => limits,
    onOverflow: giveUp,
    onCrowded() {
      websocket.pause();
      socket.setTimeout(limits.stallMs);
    },
    onCaughtUp() {
      socket.setTimeout(0);
      websocket.resume();
    },
  });
  const pongs = createPongs({ isFull, send: (data) => isOpen() && websocket.pong(data) });
  // Nothing was read, on purpose, and nothing written, not even a part of what waits.
  socket.on("timeout", () => giveUp(outbox.waitingBytes()));
  socket.on("drain", () => {
    pongs.drained();
    outbox.drained();
  });

  function giveUp(waitingBytes: number): void {
    if (ended) return;
    log.warn("disconnected a client that does not read", { waitingBytes });
    end({ kind: "overflow", waitingBytes });
    websocket.terminate();
  }

  websocket.once("closing", () => {
    const timer = setTimeout(() => websocket.terminate(), CLOSE_GRACE_MS);
    timer.unref();
    websocket.once("close", () => clearTimeout(timer));
    end({ kind: "ended" });
  });

  function end(reason: CloseReason): void {
    if (ended) return;
    ended = true;
    socket.setTimeout(0);
    outbox.end();
    onClosed?.(reason);
  }

  return {
    start(receiver) {
      onClosed = (reason) => receiver.closed(reason);
      websocket.on("message", (data: RawData, isBinary: boolean) => {
        if (isBinary) log.warn("ignored a binary frame");
        else if (!ended) receiver.message(textOf(data));
      });
      websocket.on("ping", pongs.answer);
      websocket.on("error", (error: Error) => end({ kind: "failed", message: error.message }));
      websocket.on("close", () => end({ kind: "ended" }));
    },
    origin,
    send: outbox.push,
    sendPieces: outbox.pushPieces,
    backlog: outbox,
    close() {
      outbox.flush();
      websocket.resume();
      websocket.close();
    },
  };
}

/** Answers pings; of those that there was no room to answer, only the latest is. */
function createPongs({ isFull, send }: { isFull: () => boolean; send: (data: Buffer) => void }) {
  let unanswered: Buffer | null = null;
  function answer(data: Buffer): void {
    unanswered = isFull() ? data : null;
    if (unanswered === null) send(data);
  }
  return { answer, drained: (): void => void (unanswered !== null && answer(unanswered)) };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}
