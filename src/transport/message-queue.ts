import type { OutgoingKind, PiecedMessage } from "./transport.ts";

/** Consumed messages stay in the arrays up to this number. */
const MAX_CONSUMED = 1024;

/**
 * A FIFO of outgoing messages, counted in bytes on the wire. It has an array for each field, and not one of objects: a
 * streamed delta is one message, and an object each doubled its cost here.
 */
export class MessageQueue {
  #contents: (string | Iterable<string>)[] = [];
  #kinds: OutgoingKind[] = [];
  #sizes: number[] = [];
  #head = 0;
  #counted = 0;
  /** The parts of the next message that are not taken yet; null if none is taken. */
  #parts: Iterator<string> | null = null;
  #responseBytes = 0;
  #noticeBytes = 0;

  /** Counts characters first, which is free; most messages are sent before their bytes are counted. */
  add(text: string, kind: OutgoingKind): void {
    this.#add(text, kind, text.length);
  }

  addPieces({ pieces, bytes }: PiecedMessage): void {
    this.#add(pieces, "response", bytes);
  }

  /** Counts the exact bytes of the messages added since the last call. */
  count(): void {
    const contents = this.#contents;
    let index = Math.max(this.#counted, this.#head);
    for (; index < contents.length; index += 1) {
      const content = contents[index];
      if (typeof content !== "string" || (index === this.#head && this.#parts !== null)) continue;
      const bytes = Buffer.byteLength(content);
      this.#addBytes(this.#kinds[index] as OutgoingKind, bytes - (this.#sizes[index] as number));
      this.#sizes[index] = bytes;
    }
    this.#counted = index;
  }

  get isEmpty(): boolean {
    return this.#head === this.#contents.length;
  }

  get bytes(): number {
    return this.#responseBytes + this.#noticeBytes;
  }

  /** The bytes of notices. */
  get noticeBytes(): number {
    return this.#noticeBytes;
  }

  /** Whether the next message is in pieces, partly sent, or longer than this. */
  isLongerThan(bytes: number): boolean {
    if (this.isEmpty) return false;
    const isText = typeof this.#contents[this.#head] === "string";
    return (this.#sizes[this.#head] as number) > bytes || this.#parts !== null || !isText;
  }

  /** Takes the messages of the next write: at least one, and several only up to `maxBytes`. */
  takeBatch(maxBytes: number): string[] {
    const texts: string[] = [];
    let remaining = maxBytes;
    let hasResponse = false;
    while (!this.isEmpty) {
      const content = this.#contents[this.#head];
      const kind = this.#kinds[this.#head] as OutgoingKind;
      const size = this.#sizes[this.#head] as number;
      // A batch ends where a notice follows a response (see OutgoingKind).
      const endsBatch = (hasResponse && kind === "notice") || size > remaining;
      if (typeof content !== "string" || (texts.length > 0 && endsBatch)) break;
      hasResponse ||= kind === "response";
      remaining -= size;
      texts.push(content);
      this.#removeFirst();
    }
    this.#freeConsumed();
    return texts;
  }

  /** Takes the next part of the next message; null at its end. */
  takePart(): { readonly text: string; readonly bytes: number } | null {
    if (this.isEmpty) return null;
    this.#parts ??= partsOf(this.#contents[this.#head] as string | Iterable<string>);
    const part = this.#parts.next();
    if (part.done === true) {
      this.#removeFirst();
      this.#freeConsumed();
      return null;
    }
    const bytes = Buffer.byteLength(part.value);
    this.#sizes[this.#head] = (this.#sizes[this.#head] as number) - bytes;
    this.#addBytes(this.#kinds[this.#head] as OutgoingKind, -bytes);
    return { text: part.value, bytes };
  }

  clear(): void {
    this.#head = this.#contents.length;
    this.#freeConsumed();
    this.#parts = null;
    this.#responseBytes = 0;
    this.#noticeBytes = 0;
  }

  #add(content: string | Iterable<string>, kind: OutgoingKind, bytes: number): void {
    this.#contents.push(content);
    this.#kinds.push(kind);
    this.#sizes.push(bytes);
    this.#addBytes(kind, bytes);
  }

  #addBytes(kind: OutgoingKind, bytes: number): void {
    if (kind === "notice") this.#noticeBytes += bytes;
    else this.#responseBytes += bytes;
  }

  #removeFirst(): void {
    this.#addBytes(this.#kinds[this.#head] as OutgoingKind, -(this.#sizes[this.#head] as number));
    this.#parts = null;
    this.#head += 1;
  }

  #freeConsumed(): void {
    const head = this.#head;
    const { length } = this.#contents;
    if (head !== length && (head <= MAX_CONSUMED || head * 2 <= length)) return;
    this.#contents = this.#contents.slice(head);
    this.#kinds = this.#kinds.slice(head);
    this.#sizes = this.#sizes.slice(head);
    this.#counted = Math.max(0, this.#counted - head);
    this.#head = 0;
  }
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
