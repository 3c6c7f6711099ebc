import { createOutbox } from "./outbox.ts";
import {
  type Backlog,
  type CloseReason,
  defaultTransportLimits,
  type Receiver,
  type Transport,
} from "./transport.ts";

/**
 * Two connected ends in one process: for embedding, and for tests that need no socket. Where the second end passes
 * on what it receives, `downstream` is what waits there, and the first end is as far behind.
 */
export function createMemoryTransports(downstream?: Backlog): readonly [Transport, Transport] {
  const left = createEnd(() => right, downstream);
  const right = createEnd(() => left);
  return [left.transport, right.transport];
}

interface End {
  readonly transport: Transport;
  deliver(texts: readonly string[]): void;
  end(reason: CloseReason): void;
}

/** Nothing waits longer than until the end of a tick, except for a receiver that has not begun to listen. */
const EARLY_CHARACTERS = defaultTransportLimits.outboundBytes;

function createEnd(other: () => End, downstream?: Backlog): End {
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

  function keep(texts: readonly string[]): void {
    early = early.concat(texts);
    for (const text of texts) earlyCharacters += text.length;
    if (earlyCharacters <= EARLY_CHARACTERS) return;
    early = [];
    const reason: CloseReason = { kind: "overflow", waitingBytes: earlyCharacters };
    other().end(reason);
    self.end(reason);
  }

  const self: End = {
    transport: {
      start(given) {
        receiver = given;
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
      if (receiver === null) keep(texts);
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
