/** Characters in one part: small enough that a reader's progress shows. */
const PART_CHARACTERS = 64 * 1024;

/** Cuts a message into parts of bounded length, never within a character. */
export function* partsOf(message: string | Iterable<string>): Generator<string, void> {
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
