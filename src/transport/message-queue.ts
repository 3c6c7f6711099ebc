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

/** Consumed messages stay in the arrays up to this number. */
const MAX_CONSUMED = 1024;

/** Arrays by field, and not one of objects: a streamed delta is one message, and an object each doubled its cost here. */
export function createMessageQueue(): MessageQueue {
  let contents: (string | Iterable<string>)[] = [];
  let kinds: OutgoingKind[] = [];
  let sizes: number[] = [];
  let head = 0;
  let counted = 0;
  /** The parts of the next message that are not taken yet; null if none is taken. */
  let parts: Iterator<string> | null = null;
  let responseBytes = 0;
  let noticeBytes = 0;

  function addBytes(kind: OutgoingKind, bytes: number): void {
    if (kind === "notice") noticeBytes += bytes;
    else responseBytes += bytes;
  }

  function add(content: string | Iterable<string>, kind: OutgoingKind, bytes: number): void {
    contents.push(content);
    kinds.push(kind);
    sizes.push(bytes);
    addBytes(kind, bytes);
  }

  function removeFirst(): void {
    addBytes(kinds[head] as OutgoingKind, -(sizes[head] as number));
    parts = null;
    head += 1;
  }

  function freeConsumed(): void {
    if (head !== contents.length && (head <= MAX_CONSUMED || head * 2 <= contents.length)) return;
    contents = contents.slice(head);
    kinds = kinds.slice(head);
    sizes = sizes.slice(head);
    counted = Math.max(0, counted - head);
    head = 0;
  }

  return {
    add: (text, kind) => add(text, kind, text.length),
    addPieces: ({ pieces, bytes }) => add(pieces, "response", bytes),
    count() {
      for (counted = Math.max(counted, head); counted < contents.length; counted += 1) {
        const content = contents[counted];
        if (typeof content !== "string" || (counted === head && parts !== null)) continue;
        const bytes = Buffer.byteLength(content);
        addBytes(kinds[counted] as OutgoingKind, bytes - (sizes[counted] as number));
        sizes[counted] = bytes;
      }
    },
    get isEmpty() {
      return head === contents.length;
    },
    get bytes() {
      return responseBytes + noticeBytes;
    },
    get noticeBytes() {
      return noticeBytes;
    },
    isLongerThan(bytes) {
      if (head === contents.length) return false;
      return (sizes[head] as number) > bytes || parts !== null || typeof contents[head] !== "string";
    },
    takeBatch(maxBytes) {
      const texts: string[] = [];
      let remaining = maxBytes;
      let hasResponse = false;
      while (head < contents.length) {
        const content = contents[head];
        const kind = kinds[head] as OutgoingKind;
        const size = sizes[head] as number;
        // A batch ends where a notice follows a response (see OutgoingKind).
        const endsBatch = (hasResponse && kind === "notice") || size > remaining;
        if (typeof content !== "string" || (texts.length > 0 && endsBatch)) break;
        hasResponse ||= kind === "response";
        remaining -= size;
        texts.push(content);
        removeFirst();
      }
      freeConsumed();
      return texts;
    },
    takePart() {
      if (head === contents.length) return null;
      parts ??= partsOf(contents[head] as string | Iterable<string>);
      const part = parts.next();
      if (part.done === true) {
        removeFirst();
        freeConsumed();
        return null;
      }
      const bytes = Buffer.byteLength(part.value);
      sizes[head] = (sizes[head] as number) - bytes;
      addBytes(kinds[head] as OutgoingKind, -bytes);
      return { text: part.value, bytes };
    },
    clear() {
      contents = [];
      kinds = [];
      sizes = [];
      head = 0;
      counted = 0;
      parts = null;
      responseBytes = 0;
      noticeBytes = 0;
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
