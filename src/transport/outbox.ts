import type { Writable } from "node:stream";
import { MessageQueue } from "./message-queue.ts";
import type { OutboundBacklog, OutgoingKind, PiecedMessage, TransportLimits } from "./transport.ts";

/** The number of bytes buffered in a stream: enough to keep it busy while the other end reads. */
const STREAM_BYTES = 1024 * 1024;

/** Whether a stream's buffer is full; it then emits `drain` when it is not any more. */
export function isStreamFull(stream: Writable): boolean {
  return stream.writableNeedDrain && stream.writableLength >= STREAM_BYTES;
}

/** The framing and output of a transport. */
export interface Sink {
  /** Writes whole messages in one write. */
  write(texts: readonly string[]): void;
  /** Writes a part of a message; the last part is empty. Without this method, messages are written whole. */
  writePart?(part: string, isLast: boolean): void;
  /** Whether the buffer is full; the owner calls `drained` when it is not any more. */
  isFull(): boolean;
  /** Written bytes that have not been sent yet. */
  bufferedBytes(): number;
}

export interface OutboxOptions {
  readonly sink: Sink;
  /** Called each time, because the limits may come from configuration that is loaded later. */
  readonly limits: () => Pick<TransportLimits, "outboundBytes">;
  /** Queued notices exceed the limit: the client must be disconnected. */
  readonly onOverflow: (waitingBytes: number) => void;
  /** The queue has reached its limit: the client's input must be paused. */
  readonly onCrowded: () => void;
  readonly onCaughtUp: () => void;
}

/**
 * The outbound queue of a connection, counted in bytes on the wire. Messages of one tick are sent in one write after the
 * tick, when the facts that they report are on disk. Each further write gets its own turn of the event loop, and messages
 * that do not fit into the stream stay queued.
 */
export interface SendQueue extends OutboundBacklog {
  push(text: string, kind: OutgoingKind): void;
  pushPieces(message: PiecedMessage): void;
  /** The sink's buffer is no longer full. */
  drained(): void;
  /** Writes everything immediately, even if the sink is full. */
  flush(): void;
  /** Discards the queue and ignores further messages. */
  end(): void;
}

/** A longer message is written in parts, so that only unread parts are buffered. */
const WHOLE_MESSAGE_BYTES = 1024 * 1024;
/** The number of bytes written per turn of the event loop. */
const TURN_BYTES = 1024 * 1024;
/** The share of `outboundBytes` beyond which a reader counts as behind. */
const BEHIND_SHARE = 1 / 32;
/** A stream may buffer this much without ever emitting `drain`. */
const MIN_BEHIND_BYTES = 64 * 1024;

export function createOutbox({ sink, limits, onOverflow, onCrowded, onCaughtUp }: OutboxOptions): SendQueue {
  const queue = new MessageQueue();
  let state: "idle" | "scheduled" | "blocked" | "over" = "idle";
  let isHoldingInput = false;
  let waiters: (() => void)[] = [];
  /** The limit, and what it left for the queue when the next write was scheduled: a burst does not read them each time. */
  let [maxBytes, room] = [0, 0];

  const waitingBytes = () => queue.bytes + sink.bufferedBytes();
  const isCrowded = () => waitingBytes() > limits().outboundBytes;
  const isBehind = () => waitingBytes() > Math.max(limits().outboundBytes * BEHIND_SHARE, MIN_BEHIND_BYTES);

  /** Schedules sending and checks the limits. */
  function onQueued(): void {
    if (state === "blocked") queue.count();
    if (!isHoldingInput && (state !== "scheduled" || queue.bytes > room) && isCrowded()) {
      isHoldingInput = true;
      onCrowded();
    }
    if (state === "idle") schedule();
  }

  function schedule(): void {
    if (queue.isEmpty) {
      state = "idle";
      return;
    }
    state = "scheduled";
    maxBytes = limits().outboundBytes;
    room = maxBytes - sink.bufferedBytes();
    setImmediate(writeNext);
  }

  function writeNext(): void {
    if (state === "over") return;
    if (sink.isFull()) {
      state = "blocked";
      return queue.count();
    }
    writeBatch(queue, sink, sink.isFull);
    queue.count();
    releaseWaiters();
    schedule();
  }

  function releaseWaiters(): void {
    if ((waiters.length === 0 && !isHoldingInput) || isBehind()) return;
    if (isHoldingInput && state !== "over") onCaughtUp();
    isHoldingInput = false;
    for (const resolve of waiters.splice(0)) resolve();
  }

  function end(): void {
    state = "over";
    queue.clear();
    for (const resolve of waiters.splice(0)) resolve();
  }

  return {
    waitingBytes,
    isBehind,
    isCrowded,
    whenCaughtUp: () =>
      new Promise((resolve) => (isBehind() && state !== "over" ? void waiters.push(resolve) : resolve())),
    push(text, kind) {
      if (state === "over") return;
      const limit = state === "scheduled" ? maxBytes : limits().outboundBytes;
      if (kind === "response" || queue.noticeBytes <= limit) {
        queue.add(text, kind);
        return onQueued();
      }
      // The queue is freed immediately; the connection ends after the current tick, in which it may still be in use.
      setImmediate(onOverflow, waitingBytes());
      end();
    },
    pushPieces(message) {
      if (state === "over") return;
      queue.addPieces(message);
      onQueued();
    },
    drained() {
      releaseWaiters();
      if (state === "blocked") schedule();
    },
    flush() {
      while (!queue.isEmpty) writeBatch(queue, sink, () => false);
    },
    end,
  };
}

function writeBatch(queue: MessageQueue, sink: Sink, isFull: () => boolean): void {
  if (sink.writePart === undefined || !queue.isLongerThan(WHOLE_MESSAGE_BYTES)) {
    return sink.write(queue.takeBatch(TURN_BYTES));
  }
  for (let remaining = TURN_BYTES; remaining > 0 && !isFull(); ) {
    const part = queue.takePart();
    sink.writePart(part?.text ?? "", part === null);
    if (part === null) return;
    remaining -= part.bytes;
  }
}
