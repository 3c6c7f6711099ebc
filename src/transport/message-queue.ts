import type { OutgoingKind, PiecedMessage } from "./transport.ts";

/** Messages in the order of their sending, counted in bytes as they will be on the wire. */
export interface MessageQueue {
  /** Texts are counted by their characters first, which costs nothing for those that leave at once. */
  add(text: string, kind: OutgoingKind): void;
  addPieces(message: PiecedMessage): void;
  /** Counts those exactly that have come since this was last called. */
  count(): void;
  readonly isEmpty: boolean;
  readonly bytes: number;
  /** Of these, what no client has asked for. */
  readonly noticeBytes: number;
  /** Whether the next message is made while it is sent, has been begun, or is longer than this. */
  isLongerThan(bytes: number): boolean;
  /** Takes what can leave in one write: at least one message, and no more than so many bytes of several. */
  takeBatch(maxBytes: number): string[];
  /** Takes the next part of the next message; null when there is no more of it. */
  takePart(): { readonly text: string; readonly bytes: number } | null;
  clear(): void;
}

interface Queued {
  readonly content: string | Iterable<string>;
  readonly kind: OutgoingKind;
  bytes: number;
  parts: Iterator<string> | null;
}

/** Those that have left stay in the array until there are so many. */
const MAX_GAP = 1024;

export function createMessageQueue(): MessageQueue {
  let messages: Queued[] = [];
  let head = 0;
  let counted = 0;
  const held = { response: 0, notice: 0 };

  function remove(message: Queued): void {
    held[message.kind] -= message.bytes;
    head += 1;
    if (head === messages.length || (head > MAX_GAP && head * 2 > messages.length)) {
      messages = messages.slice(head);
      counted = Math.max(0, counted - head);
      head = 0;
    }
  }

  function add(content: string | Iterable<string>, kind: OutgoingKind, bytes: number): void {
    messages.push({ content, kind, bytes, parts: null });
    held[kind] += bytes;
  }

  return {
    add: (text, kind) => add(text, kind, text.length),
    addPieces: ({ pieces, bytes }) => add(pieces, "response", bytes),
    count() {
      for (counted = Math.max(counted, head); counted < messages.length; counted += 1) {
        const message = messages[counted];
        if (typeof message?.content !== "string" || message.parts !== null) continue;
        const more = Buffer.byteLength(message.content) - message.bytes;
        message.bytes += more;
        held[message.kind] += more;
      }
    },
    get isEmpty() {
      return head === messages.length;
    },
    get bytes() {
      return held.response + held.notice;
    },
    get noticeBytes() {
      return held.notice;
    },
    isLongerThan(bytes) {
      const { content = "", parts = null, bytes: left = 0 } = messages[head] ?? {};
      return left > bytes || parts !== null || typeof content !== "string";
    },
    takeBatch(maxBytes) {
      const texts: string[] = [];
      let left = maxBytes;
      let hasResponse = false;
      for (let next = messages[head]; next !== undefined; next = messages[head]) {
        // A batch ends where a notice follows a response (see OutgoingKind).
        const isApart = (hasResponse && next.kind === "notice") || next.bytes > left;
        if (typeof next.content !== "string" || (texts.length > 0 && isApart)) break;
        hasResponse ||= next.kind === "response";
        left -= next.bytes;
        texts.push(next.content);
        remove(next);
      }
      return texts;
    },
    takePart() {
      const next = messages[head];
      if (next === undefined) return null;
      next.parts ??= partsOf(next.content);
      const part = next.parts.next();
      if (part.done === true) {
        remove(next);
        return null;
      }
      const bytes = Buffer.byteLength(part.value);
      next.bytes -= bytes;
      held[next.kind] -= bytes;
      return { text: part.value, bytes };
    },
    clear() {
      messages = [];
      head = 0;
      counted = 0;
      held.response = 0;
      held.notice = 0;
    },
  };
}

/** Characters in one part: small enough that a reader's progress shows. */
const PART_CHARACTERS = 64 * 1024;

/** Cuts a message into parts of limited length, never within a character. */
function* partsOf(message: string | Iterable<string>): Generator<string, void> {
  if (typeof message === "string") return yield* cut(message);
  for (const piece of message) yield* cut(piece);
}

function* cut(text: string): Generator<string, void> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + PART_CHARACTERS, text.length);
    // The first half of a character of two units: the other half belongs to it.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
