// The rules for short texts that skills bring along.

/** What Rust, and so the peer, takes for white space. */
const WHITE_SPACE = /(?:[^\S\ufeff]|\u0085)+/;

/** The text on one line, with single spaces between its words. */
export function oneLine(text: string): string {
  return text.split(WHITE_SPACE).filter(Boolean).join(" ");
}

/** Whether a text has more characters (not code units) than `limit`. */
export function tooLong(text: string, limit: number): boolean {
  return text.length > limit && Array.from(text).length > limit;
}
