import { createOutbox } from "./outbox.ts";
import {
  type CloseReason,
  defaultTransportLimits,
  type OutboundBacklog,
  type Receiver,
  type Transport,
} from "./transport.ts";

/**
 * Two connected transports in one process: for embedding, and for tests without sockets. If the second end forwards its
 * messages, `downstream` is the queue behind it, which then is the backlog of the first end.
 */
export function createMemoryTransports(downstream?: OutboundBacklog): readonly [Transport, Transport] {
  const left = createEnd(() => right, downstream);
  const right = createEnd(() => left);
  return [left.transport, right.transport];
}

interface End {
  readonly transport: Transport;
  deliver(texts: readonly string[]): void;
  end(reason: CloseReason): void;
}

/** Messages are queued only until the end of a tick, except for a receiver that has not started yet. */
const MAX_EARLY_CHARACTERS = defaultTransportLimits.outboundBytes;

function createEnd(other: () => End, downstream?: OutboundBacklog): End {
  let receiver: Receiver | null = null;
  let early: string[] = [];
  let earlyCharacters = 0;
  let ended: CloseReason | null = null;
  const outbox = createOutbox({
    sink: { write: (texts) => other().deliver(texts), isFull: () => false, bufferedBytes: () => 0 },
    limits: () => ({ outboundBytes: Number.POSITIVE_INFINITY }),
    onOverflow: () => {},
    onCrowded: () => {},
    onCaughtUp: () => {},
  });

  function bufferEarly(texts: readonly string[]): void {
    early = early.concat(texts);
    for (const text of texts) earlyCharacters += text.length;
    if (earlyCharacters <= MAX_EARLY_CHARACTERS) return;
    early = [];
    const reason: CloseReason = { kind: "overflow", waitingBytes: earlyCharacters };
    other().end(reason);
    self.end(reason);
  }

  const self: End = {
    transport: {
      start(newReceiver) {
        receiver = newReceiver;
        for (const text of early.splice(0)) receiver.message(text);
        if (ended !== null) receiver.closed(ended);
      },
      send(text, kind) {
        if (ended === null) outbox.push(text, kind);
      },
      backlog: downstream ?? outbox,
      close() {
        outbox.flush();
        other().end({ kind: "ended" });
        self.end({ kind: "ended" });
      },
    },
    deliver(texts) {
      if (ended !== null) return;
      if (receiver === null) bufferEarly(texts);
      else for (const text of texts) receiver.message(text);
    },
    end(reason) {
      if (ended !== null) return;
      ended = reason;
      outbox.end();
      receiver?.closed(reason);
    },
  };
  return self;
}
