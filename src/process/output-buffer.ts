/** What programs wrote: the beginning and the end of it, kept within a limit, and as text. */

/** Keeps the beginning and the end of a stream of bytes, half and half, and counts what it had to leave out. */
export interface HeadTailBuffer {
  push(chunk: Uint8Array): void;
  /** All bytes that were ever pushed. */
  total(): number;
  /** The bytes that are not kept. */
  omitted(): number;
  /** What is kept; where something is missing a line between the halves says how much. */
  text(decode?: (bytes: Buffer) => string): string;
}

const FIRST_CAPACITY = 4096;

export function createHeadTailBuffer(maxBytes: number): HeadTailBuffer {
  const headBudget = Math.floor(maxBytes / 2);
  const tailBudget = maxBytes - headBudget;
  // Own copies: a view would keep alive the much larger buffer that the bytes were read into.
  let head = Buffer.alloc(0);
  let headLength = 0;
  let tail = Buffer.alloc(0);
  /** All bytes that went to the tail; the place of the next one is this modulo the budget. */
  let tailTotal = 0;

  function pushHead(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, headBudget - headLength);
    head = grown(head, headLength + taken.length, headBudget);
    head.set(taken, headLength);
    headLength += taken.length;
    return chunk.subarray(taken.length);
  }

  function pushTail(chunk: Uint8Array): void {
    const last = chunk.subarray(Math.max(0, chunk.length - tailBudget));
    tailTotal += chunk.length - last.length;
    if (tail.length < tailBudget) tail = grown(tail, tailTotal + last.length, tailBudget);
    const at = tailTotal % tailBudget;
    const first = last.subarray(0, tailBudget - at);
    tail.set(first, at);
    tail.set(last.subarray(first.length), 0);
    tailTotal += last.length;
  }

  function keptTail(): Buffer {
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
      const parts = [head.subarray(0, headLength), keptTail()];
      const between = omitted() === 0 ? [] : [Buffer.from(`\n${omissionMarker(omitted())}\n`)];
      return decode(Buffer.concat(parts.toSpliced(1, 0, ...between)));
    },
  };
}

export function omissionMarker(bytes: number): string {
  return `... ${bytes} bytes omitted ...`;
}

/** The same bytes in a buffer that has room for so many, and never more than the budget. */
function grown(buffer: Buffer<ArrayBuffer>, wanted: number, budget: number): Buffer<ArrayBuffer> {
  if (wanted <= buffer.length) return buffer;
  const capacity = Math.min(budget, Math.max(FIRST_CAPACITY, wanted, buffer.length * 2));
  const larger = Buffer.alloc(capacity);
  larger.set(buffer);
  return larger;
}

/** What Windows-1252 has where Latin-1 has control characters; five places are empty there and stay what they are. */
const WESTERN = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/**
 * Most programs write UTF-8; what is something else is told by its mark, or taken for Western. A last character that was
 * cut is left out.
 */
export function decodeOutput(bytes: Uint8Array): string {
  const marked = markedEncoding(bytes);
  if (marked !== null) return new TextDecoder(marked).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    // Node 20 decodes Windows-1252 as if it were Latin-1.
    return Buffer.from(bytes)
      .toString("latin1")
      .replace(/[\u0080-\u009f]/g, (each) => WESTERN.charAt(each.charCodeAt(0) - 0x80));
  }
}

/** UTF-16 with the mark that it begins with. */
function markedEncoding([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}
