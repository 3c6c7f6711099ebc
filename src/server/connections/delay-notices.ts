import type { Clock } from "../../base/clock.ts";
import type { OutgoingKind, PiecedMessage, Transport } from "../../transport/transport.ts";

/** The sending half of a transport. */
export type Outgoing = Pick<Transport, "send" | "sendPieces" | "close">;

export interface NoticeDelay {
  readonly delayMs: number;
  readonly clock: Clock;
}

interface OutgoingMessage {
  readonly kind: OutgoingKind;
  readonly content: string | PiecedMessage;
}

/** The pause ends early when more characters than this are held. */
const MAX_HELD_CHARS = 1024 * 1024;

/** As many blanks as Node reads from a pipe at once. Blanks are allowed before any JSON. */
const BLANKS = " ".repeat(64 * 1024);

/**
 * Wraps `transport` so that the first notice after a response is never in the same read as the response, for clients
 * that add their listener only after the response and lose what they read together with it. A separate write is not
 * enough, because a pipe joins writes while its reader is busy. So the notice is held until `delayMs` after the
 * response; and because a reader may be busy for longer, it is preceded by more blanks than are read at once.
 * Messages after a held notice are held as well, so that the order is preserved.
 */
export function delayNotices(transport: Outgoing, { delayMs, clock }: NoticeDelay): Outgoing {
  let held: OutgoingMessage[] = [];
  let heldLength = 0;
  let isPausing = false;
  let followsResponse = false;
  let cancel = () => {};

  function enqueue(message: OutgoingMessage): void {
    if (held.length === 0 && !mustHold(message)) return write(message);
    held.push(message);
    heldLength += lengthOf(message);
    if (heldLength > MAX_HELD_CHARS) flush();
  }

  const mustHold = ({ kind }: OutgoingMessage): boolean => isPausing && kind === "notice";

  function write({ kind, content }: OutgoingMessage): void {
    if (typeof content !== "string") transport.sendPieces?.(content);
    else if (kind === "notice" && followsResponse) transport.send(BLANKS + content, kind);
    else transport.send(content, kind);
    followsResponse = kind === "response";
    if (followsResponse) pause();
  }

  function pause(): void {
    isPausing = true;
    cancel();
    // Transports write after the tick, so the pause starts then.
    const written = setImmediate(() => {
      cancel = clock.after(delayMs, resume, { keepsAlive: false });
    });
    cancel = () => clearImmediate(written);
  }

  function resume(): void {
    isPausing = false;
    let count = 0;
    for (const message of held) {
      if (mustHold(message)) break;
      write(message);
      heldLength -= lengthOf(message);
      count += 1;
    }
    held = held.slice(count);
  }

  function flush(): void {
    const all = held;
    held = [];
    heldLength = 0;
    for (const message of all) write(message);
    cancel();
    isPausing = false;
  }

  return {
    send: (content, kind) => enqueue({ kind, content }),
    ...(transport.sendPieces && {
      sendPieces: (content: PiecedMessage) => enqueue({ kind: "response", content }),
    }),
    close() {
      flush();
      transport.close();
    },
  };
}

/** Pieces are encoded only when they are sent, so they count as zero. */
function lengthOf({ content }: OutgoingMessage): number {
  return typeof content === "string" ? content.length : 0;
}
