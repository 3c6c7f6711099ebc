import type { Readable, Writable } from "node:stream";
import type { Logger } from "../base/logger.ts";
import { createBatchedWriter } from "./batched-writer.ts";
import { createLineSplitter } from "./line-splitter.ts";
import type { CloseReason, Transport, TransportLimits } from "./transport.ts";

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly limits: () => TransportLimits;
  readonly log: Logger;
}

/**
 * One message a line over a pair of streams. A reader that is too slow is waited for: while more
 * than `outboundBytes` wait, no further input is taken.
 */
export function openStdio({ input, output, limits, log }: StdioOptions): Transport {
  let onClosed: ((reason: CloseReason) => void) | null = null;
  let ended = false;

  const writer = createBatchedWriter((texts) => {
    if (ended) return;
    output.write(`${texts.join("\n")}\n`);
    if (output.writableLength > limits().outboundBytes && !input.isPaused()) {
      log.warn("the client reads too slowly: its requests wait", { waitingBytes: output.writableLength });
      input.pause();
      output.once("drain", () => input.resume());
    }
  });

  function end(reason: CloseReason): void {
    if (ended) return;
    writer.flush();
    ended = true;
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
    send: (text, kind) => writer.push(text, kind),
    close: () => end({ kind: "ended" }),
  };
}
