import type { Clock } from "../../base/clock.ts";
import type { OutgoingKind, PiecedMessage, Transport } from "../../transport/transport.ts";

/** The sending half of a transport. */
export type Outgoing = Pick<Transport, "send" | "sendPieces" | "close">;

export interface NoticeDelay {
  readonly delayMs: number;
  readonly clock: Clock;
}

interface Message {
  readonly kind: OutgoingKind;
  readonly content: string | PiecedMessage;
}

/** What may be held back, in characters; with more of it the pause ends early. */
const MAX_HELD = 1024 * 1024;

/** As much as Node takes from a pipe at once, in blanks, which may stand before any JSON. */
const BLANKS = " ".repeat(64 * 1024);

/**
 * Sends as `transport` does, but sets the first notice after a response apart from it, for clients that begin to listen
 * when they have seen the response and lose what they read together with it. A write of its own is not enough for
 * these, because a pipe joins writes while its reader is busy. So the notice waits until `delayMs` have passed since
 * the response; and because a reader may be busy for longer, there are more blanks before it than are read at once.
 * Everything behind a notice that waits, waits with it: nothing overtakes.
 */
export function delayNotices(transport: Outgoing, { delayMs, clock }: NoticeDelay): Outgoing {
  let held: Message[] = [];
  let heldLength = 0;
  let isPausing = false;
  let followsResponse = false;
  let cancel = () => {};

  function take(message: Message): void {
    if (held.length === 0 && !mustWait(message)) return pass(message);
    held.push(message);
    heldLength += lengthOf(message);
    if (heldLength > MAX_HELD) passAll();
  }

  const mustWait = ({ kind }: Message): boolean => isPausing && kind === "notice";

  function pass({ kind, content }: Message): void {
    if (typeof content !== "string") transport.sendPieces?.(content);
    else if (kind === "notice" && followsResponse) transport.send(BLANKS + content, kind);
    else transport.send(content, kind);
    followsResponse = kind === "response";
    if (followsResponse) pause();
  }

  function pause(): void {
    isPausing = true;
    cancel();
    // Transports write after the tick, and that is when a pause begins.
    const written = setImmediate(() => {
      cancel = clock.after(delayMs, resume, { keepsAlive: false });
    });
    cancel = () => clearImmediate(written);
  }

  function resume(): void {
    isPausing = false;
    let passed = 0;
    for (const message of held) {
      if (mustWait(message)) break;
      pass(message);
      heldLength -= lengthOf(message);
      passed += 1;
    }
    held = held.slice(passed);
  }

  function passAll(): void {
    const all = held;
    held = [];
    heldLength = 0;
    for (const message of all) pass(message);
    cancel();
    isPausing = false;
  }

  return {
    send: (content, kind) => take({ kind, content }),
    ...(transport.sendPieces && {
      sendPieces: (content: PiecedMessage) => take({ kind: "response", content }),
    }),
    close() {
      passAll();
      transport.close();
    },
  };
}

/** Pieces are made when they are sent: they take no room before. */
function lengthOf({ content }: Message): number {
  return typeof content === "string" ? content.length : 0;
}
