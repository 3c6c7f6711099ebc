import type { Socket } from "node:net";
import { type RawData, WebSocket } from "ws";
import type { Logger } from "../base/logger.ts";
import { createOutbox, isStreamFull } from "./outbox.ts";
import type { TextFrameEncoder } from "./text-frames.ts";
import type { CloseReason, ConnectionOrigin, Transport, TransportLimits } from "./transport.ts";

/** How long a client may take to read queued messages and to close. */
const CLOSE_TIMEOUT_MS = 2000;

/** The close code and reason of a client that does not read. */
const TRY_AGAIN_LATER = 1013;
const SLOW_READER = "slow consumer: connect again and continue from the last seq";

/** Emits `closing` when either end starts to close, because a client may keep the socket open long after its Close frame. */
export class ClosingWebSocket extends WebSocket {
  override close(code?: number, data?: string | Buffer): void {
    super.close(code, data);
    this.emit("closing");
  }
}

export interface WebSocketTransportOptions {
  /** Must have `autoPong` off: pings are answered here, with a limit against floods. */
  readonly websocket: ClosingWebSocket;
  /** The underlying socket, for its buffered bytes and for writing the frames of a batch, which connections share. */
  readonly socket: Socket;
  /** Of the listener. */
  readonly encodeFrames: TextFrameEncoder;
  readonly origin: ConnectionOrigin;
  readonly limits: TransportLimits;
  readonly log: Logger;
}

/**
 * One message per text frame, or several frames if it is large. While more than `outboundBytes` are queued for a client,
 * its input is not read. It is disconnected if notices alone exceed that limit, or if it is over the limit and reads
 * nothing for `stallMs`: a client that does not read costs bounded memory and delays no other client.
 */
export function createWebSocketTransport(options: WebSocketTransportOptions): Transport {
  const { websocket, socket, encodeFrames, origin, limits, log } = options;
  let onClosed: ((reason: CloseReason) => void) | null = null;
  let ended = false;
  const isFull = () => isStreamFull(socket);
  const isOpen = () => !ended && websocket.readyState === websocket.OPEN;

  const outbox = createOutbox({
    sink: {
      write(texts) {
        if (isOpen()) socket.write(encodeFrames(texts));
      },
      writePart(part, isLast) {
        if (isOpen()) websocket.send(part, { fin: isLast });
      },
      isFull,
      bufferedBytes: () => socket.writableLength,
    },
    limits: () => limits,
    onOverflow: disconnect,
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
  // Reading is paused on purpose, so a timeout means that nothing could be written either.
  socket.on("timeout", () => disconnect(outbox.waitingBytes()));
  socket.on("drain", () => {
    pongs.drained();
    outbox.drained();
  });

  function disconnect(waitingBytes: number): void {
    if (ended) return;
    log.warn("disconnected a client that does not read", { waitingBytes });
    end({ kind: "overflow", waitingBytes });
    // The client reads the reason if it reads within the time for closing.
    websocket.close(TRY_AGAIN_LATER, SLOW_READER);
  }

  websocket.once("closing", () => {
    const timer = setTimeout(() => websocket.terminate(), CLOSE_TIMEOUT_MS);
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

/** Answers pings; while the socket is full, only the latest ping is kept. */
function createPongs({ isFull, send }: { isFull: () => boolean; send: (data: Buffer) => void }) {
  let pending: Buffer | null = null;
  function answer(data: Buffer): void {
    pending = isFull() ? data : null;
    if (pending === null) send(data);
  }
  return { answer, drained: (): void => void (pending !== null && answer(pending)) };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}
