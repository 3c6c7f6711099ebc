import type { OutgoingKind, PiecedMessage } from "./transport.ts";

/** A FIFO of outgoing messages, counted in bytes on the wire. */
export interface MessageQueue {
  /** Counts characters first, which is free; most messages are sent before their bytes are counted. */
  add(text: string, kind: OutgoingKind): void;
  addPieces(message: PiecedMessage): void;
  /** Counts the exact bytes of the messages added since the last call. */
  count(): void;
  readonly isEmpty: boolean;
  readonly bytes: number;
  /** The bytes of notices. */
  readonly noticeBytes: number;
  /** Whether the next message is in pieces, partly sent, or longer than this. */
  isLongerThan(bytes: number): boolean;
  /** Takes the messages of the next write: at least one, and several only up to `maxBytes`. */
  takeBatch(maxBytes: number): string[];
  /** Takes the next part of the next message; null at its end. */
  takePart(): { readonly text: string; readonly bytes: number } | null;
  clear(): void;
}

interface QueuedMessage {
  readonly content: string | Iterable<string>;
  readonly kind: OutgoingKind;
  bytes: number;
  parts: Iterator<string> | null;
}

/** Consumed messages stay in the array up to this number. */
const MAX_CONSUMED = 1024;

export function createMessageQueue(): MessageQueue {
  let messages: QueuedMessage[] = [];
  let head = 0;
  let counted = 0;
  const queuedBytes = { response: 0, notice: 0 };

  function remove(message: QueuedMessage): void {
    queuedBytes[message.kind] -= message.bytes;
    head += 1;
    if (head === messages.length || (head > MAX_CONSUMED && head * 2 > messages.length)) {
      messages = messages.slice(head);
      counted = Math.max(0, counted - head);
      head = 0;
    }
  }

  function add(content: string | Iterable<string>, kind: OutgoingKind, bytes: number): void {
    messages.push({ content, kind, bytes, parts: null });
    queuedBytes[kind] += bytes;
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
        queuedBytes[message.kind] += more;
      }
    },
    get isEmpty() {
      return head === messages.length;
    },
    get bytes() {
      return queuedBytes.response + queuedBytes.notice;
    },
    get noticeBytes() {
      return queuedBytes.notice;
    },
    isLongerThan(bytes) {
      const { content = "", parts = null, bytes: remaining = 0 } = messages[head] ?? {};
      return remaining > bytes || parts !== null || typeof content !== "string";
    },
    takeBatch(maxBytes) {
      const texts: string[] = [];
      let remaining = maxBytes;
      let hasResponse = false;
      for (let next = messages[head]; next !== undefined; next = messages[head]) {
        // A batch ends where a notice follows a response (see OutgoingKind).
        const endsBatch = (hasResponse && next.kind === "notice") || next.bytes > remaining;
        if (typeof next.content !== "string" || (texts.length > 0 && endsBatch)) break;
        hasResponse ||= next.kind === "response";
        remaining -= next.bytes;
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
      queuedBytes[next.kind] -= bytes;
      return { text: part.value, bytes };
    },
    clear() {
      messages = [];
      head = 0;
      counted = 0;
      queuedBytes.response = 0;
      queuedBytes.notice = 0;
    },
  };
}

/** Characters per part: small enough that a reader's progress is visible. */
const PART_CHARACTERS = 64 * 1024;

/** Splits a message into parts of limited length, never within a surrogate pair. */
function* partsOf(message: string | Iterable<string>): Generator<string, void> {
  if (typeof message === "string") return yield* splitText(message);
  for (const piece of message) yield* splitText(piece);
}

function* splitText(text: string): Generator<string, void> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + PART_CHARACTERS, text.length);
    // Do not separate a high surrogate from its low surrogate.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
