import type { Writable } from "node:stream";
import { createMessageQueue, type MessageQueue } from "./message-queue.ts";
import type { Backlog, OutgoingKind, PiecedMessage, TransportLimits } from "./transport.ts";

/** What a stream may hold before more is handed to it: enough to write while the other end reads. */
const STREAM_BYTES = 1024 * 1024;

/** Whether a stream has enough to do; it then says with `drain` when it has not any more. */
export function isStreamFull(stream: Writable): boolean {
  return stream.writableNeedDrain && stream.writableLength >= STREAM_BYTES;
}

/** Where messages go, as a transport frames them. */
export interface Sink {
  /** Hands over whole messages, in one write. */
  write(texts: readonly string[]): void;
  /** Hands over a part of a message; the last one is empty. Without it, messages go whole. */
  writePart?(part: string, isLast: boolean): void;
  /** Whether it has enough to do; whoever owns it calls `drained` when it has not any more. */
  isFull(): boolean;
  /** What was handed over and has not left. */
  bufferedBytes(): number;
}

export interface OutboxOptions {
  readonly sink: Sink;
  /** Asked each time, because the limits may come from a configuration that is read later. */
  readonly limits: () => Pick<TransportLimits, "outboundBytes">;
  /** More notices wait than may: the reader is given up. */
  readonly onOverflow: (waitingBytes: number) => void;
  /** As much waits as may: nothing further is taken from this reader. */
  readonly onCrowded: () => void;
  readonly onCaughtUp: () => void;
}

/**
 * What waits to be sent on one connection, counted as it will be on the wire. The messages of one tick leave in one
 * write after the tick, by when what they say is in its file; each further write has a turn of the event loop of its
 * own, and what the reader has no room for waits here.
 */
export interface Outbox extends Backlog {
  push(text: string, kind: OutgoingKind): void;
  pushPieces(message: PiecedMessage): void;
  /** The sink has room again. */
  drained(): void;
  /** Hands everything over now, whether or not there is room. */
  flush(): void;
  /** Forgets what waits, and takes nothing more. */
  end(): void;
}

/** A longer message is handed over in parts, so that only what a reader has not taken is in buffers. */
const WHOLE_MESSAGE_BYTES = 1024 * 1024;
/** What is handed over in one turn of the event loop. */
const TURN_BYTES = 1024 * 1024;
/** The share of `outboundBytes` beyond which a reader is behind. */
const BEHIND_SHARE = 1 / 32;
/** A stream may hold so much without ever saying that it has gone. */
const MIN_BEHIND_BYTES = 64 * 1024;

export function createOutbox({ sink, limits, onOverflow, onCrowded, onCaughtUp }: OutboxOptions): Outbox {
  const queue = createMessageQueue();
  let state: "idle" | "scheduled" | "blocked" | "over" = "idle";
  let isHolding = false;
  let waiters: (() => void)[] = [];

  const waitingBytes = () => queue.bytes + sink.bufferedBytes();
  const isCrowded = () => waitingBytes() > limits().outboundBytes;
  const isBehind = () => waitingBytes() > Math.max(limits().outboundBytes * BEHIND_SHARE, MIN_BEHIND_BYTES);

  /** Has what was added to the queue sent, and looks whether it has become too much. */
  function added(): void {
    if (state === "blocked") queue.count();
    if (!isHolding && isCrowded()) {
      isHolding = true;
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
    setImmediate(writeNext);
  }

  function writeNext(): void {
    if (state === "over") return;
    if (sink.isFull()) {
      state = "blocked";
      return queue.count();
    }
    writeSome(queue, sink, sink.isFull);
    queue.count();
    releaseWaiters();
    schedule();
  }

  function releaseWaiters(): void {
    if ((waiters.length === 0 && !isHolding) || isBehind()) return;
    if (isHolding && state !== "over") onCaughtUp();
    isHolding = false;
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
      if (kind === "response" || queue.noticeBytes <= limits().outboundBytes) {
        queue.add(text, kind);
        return added();
      }
      // What waits is let go at once; the connection ends after the tick, in which it may still be in use.
      setImmediate(onOverflow, waitingBytes());
      end();
    },
    pushPieces(message) {
      if (state === "over") return;
      queue.addPieces(message);
      added();
    },
    drained() {
      releaseWaiters();
      if (state === "blocked") schedule();
    },
    flush() {
      while (!queue.isEmpty) writeSome(queue, sink, () => false);
    },
    end,
  };
}

function writeSome(queue: MessageQueue, sink: Sink, isFull: () => boolean): void {
  if (sink.writePart === undefined || !queue.isLongerThan(WHOLE_MESSAGE_BYTES)) {
    return sink.write(queue.takeBatch(TURN_BYTES));
  }
  for (let left = TURN_BYTES; left > 0 && !isFull(); ) {
    const part = queue.takePart();
    sink.writePart(part?.text ?? "", part === null);
    if (part === null) return;
    left -= part.bytes;
  }
}
