/** Bounded buffering and decoding of program output. */

/** Retains the head and the tail of a byte stream, half and half, and counts the omitted bytes. */
export interface HeadTailBuffer {
  push(chunk: Uint8Array): void;
  /** The number of pushed bytes. */
  total(): number;
  /** The number of omitted bytes. */
  omitted(): number;
  /** The retained text; if bytes were omitted, a marker line between head and tail states how many. */
  text(decode?: (bytes: Buffer) => string): string;
}

const FIRST_CAPACITY = 4096;

export function createHeadTailBuffer(maxBytes: number): HeadTailBuffer {
  const headBudget = Math.floor(maxBytes / 2);
  const tailBudget = maxBytes - headBudget;
  // Copies: a view would keep the much larger read buffer alive.
  let head = Buffer.alloc(0);
  let headLength = 0;
  let tail = Buffer.alloc(0);
  /** The number of bytes pushed to the tail ring buffer; the write index is this modulo the budget. */
  let tailTotal = 0;

  function pushHead(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, headBudget - headLength);
    head = grow(head, headLength + taken.length, headBudget);
    head.set(taken, headLength);
    headLength += taken.length;
    return chunk.subarray(taken.length);
  }

  function pushTail(chunk: Uint8Array): void {
    const last = chunk.subarray(Math.max(0, chunk.length - tailBudget));
    tailTotal += chunk.length - last.length;
    if (tail.length < tailBudget) tail = grow(tail, tailTotal + last.length, tailBudget);
    const at = tailTotal % tailBudget;
    const first = last.subarray(0, tailBudget - at);
    tail.set(first, at);
    tail.set(last.subarray(first.length), 0);
    tailTotal += last.length;
  }

  function tailBytes(): Buffer {
    if (tailTotal <= tailBudget) return tail.subarray(0, tailTotal);
    const at = tailTotal % tailBudget;
    return Buffer.concat([tail.subarray(at), tail.subarray(0, at)]);
  }

  const omitted = (): number => Math.max(0, tailTotal - tailBudget);
  return {
    push(chunk) {
      const rest = headLength < headBudget ? pushHead(chunk) : chunk;
      if (rest.length > 0) pushTail(rest);
    },
    total: () => headLength + tailTotal,
    omitted,
    text(decode = (bytes) => bytes.toString("utf8")) {
      const parts = [head.subarray(0, headLength), tailBytes()];
      const between = omitted() === 0 ? [] : [Buffer.from(`\n${omissionMarker(omitted())}\n`)];
      return decode(Buffer.concat(parts.toSpliced(1, 0, ...between)));
    },
  };
}

export function omissionMarker(bytes: number): string {
  return `... ${bytes} bytes omitted ...`;
}

/** Grows the buffer to the needed capacity, at most to the budget. */
function grow(buffer: Buffer<ArrayBuffer>, needed: number, budget: number): Buffer<ArrayBuffer> {
  if (needed <= buffer.length) return buffer;
  const capacity = Math.min(budget, Math.max(FIRST_CAPACITY, needed, buffer.length * 2));
  const larger = Buffer.alloc(capacity);
  larger.set(buffer);
  return larger;
}

/** Windows-1252 for the C1 control characters of Latin-1; its five undefined codes are unchanged. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/**
 * Decodes UTF-8, which most programs write; UTF-16 is detected by its BOM, and anything else is decoded as Windows-1252.
 * A truncated last character is dropped.
 */
export function decodeOutput(bytes: Uint8Array): string {
  const encoding = encodingFromBom(bytes);
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    // Node 20 decodes Windows-1252 as if it were Latin-1.
    return Buffer.from(bytes)
      .toString("latin1")
      .replace(/[\u0080-\u009f]/g, (each) => WINDOWS_1252.charAt(each.charCodeAt(0) - 0x80));
  }
}

function encodingFromBom([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}
