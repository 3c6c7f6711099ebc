import type { Readable, Writable } from "node:stream";
import type { Logger } from "../base/logger.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { createOutbox, isStreamFull } from "./outbox.ts";
import type { CloseReason, Transport, TransportLimits } from "./transport.ts";

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly limits: () => TransportLimits;
  readonly log: Logger;
}

/**
 * One message per line over a pair of streams. A slow reader causes backpressure: while more than `outboundBytes` are
 * queued, no input is read. A client that does not read its notices is disconnected.
 */
export function openStdio({ input, output, limits, log }: StdioOptions): Transport {
  let onClosed: ((reason: CloseReason) => void) | null = null;
  let ended = false;

  const outbox = createOutbox({
    sink: {
      write: (texts) => void output.write(`${texts.join("\n")}\n`),
      writePart: (part, isLast) => void output.write(isLast ? "\n" : part),
      isFull: () => isStreamFull(output),
      bufferedBytes: () => output.writableLength,
    },
    limits,
    onOverflow(waitingBytes) {
      log.error("gave up a client that does not read", { waitingBytes });
      end({ kind: "overflow", waitingBytes });
    },
    onCrowded() {
      log.warn("the client reads too slowly: its requests wait", { waitingBytes: outbox.waitingBytes() });
      input.pause();
    },
    onCaughtUp: () => void input.resume(),
  });
  output.on("drain", outbox.drained);

  function end(reason: CloseReason): void {
    if (ended) return;
    if (reason.kind === "ended") outbox.flush();
    ended = true;
    outbox.end();
    input.pause();
    onClosed?.(reason);
  }

  return {
    start(receiver) {
      onClosed = (reason) => receiver.closed(reason);
      const splitter = createLineSplitter({
        maxLineBytes: () => limits().messageBytes,
        onLine: (line) => receiver.message(line),
        onBadLine: (reason) => log.warn("ignored a line", { reason }),
      });
      input.on("data", (chunk: Buffer) => splitter.push(chunk));
      input.once("end", () => {
        splitter.end();
        if (receiver.inputEnded === undefined) end({ kind: "ended" });
        else receiver.inputEnded();
      });
      for (const stream of [input, output]) {
        stream.on("error", (error: Error) => end({ kind: "failed", message: error.message }));
      }
    },
    origin: { transport: "stdio", from: null },
    send: outbox.push,
    sendPieces: outbox.pushPieces,
    backlog: outbox,
    close: () => end({ kind: "ended" }),
  };
}
