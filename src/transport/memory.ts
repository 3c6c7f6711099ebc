import { createBatchedWriter } from "./batched-writer.ts";
import type { CloseReason, Receiver, Transport } from "./transport.ts";

/** Two connected ends in one process: for embedding, and for tests that need no socket. */
export function createMemoryTransports(): readonly [Transport, Transport] {
  const left = createEnd(() => right);
  const right = createEnd(() => left);
  return [left.transport, right.transport];
}

interface End {
  readonly transport: Transport;
  deliver(texts: readonly string[]): void;
  end(reason: CloseReason): void;
}

function createEnd(other: () => End): End {
  let receiver: Receiver | null = null;
  let early: string[] = [];
  let ended: CloseReason | null = null;
  const writer = createBatchedWriter((texts) => other().deliver(texts));

  const self: End = {
    transport: {
      start(given) {
        receiver = given;
        for (const text of early.splice(0)) receiver.message(text);
        if (ended !== null) receiver.closed(ended);
      },
      send(text, kind) {
        if (ended === null) writer.push(text, kind);
      },
      close() {
        writer.flush();
        other().end({ kind: "ended" });
        self.end({ kind: "ended" });
      },
    },
    deliver(texts) {
      if (ended !== null) return;
      if (receiver === null) early = early.concat(texts);
      else for (const text of texts) receiver.message(text);
    },
    end(reason) {
      if (ended !== null) return;
      ended = reason;
      receiver?.closed(reason);
    },
  };
  return self;
}
