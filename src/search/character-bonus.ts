/** What it is worth to match a character, by its kind and the kind of the one before it. */

/** In the order of how much of a word they are. */
const WHITE = 0;
const NON_WORD = 1;
const DELIMITER = 2;
const LOWER = 3;
const UPPER = 4;
const LETTER = 5;
const NUMBER = 6;

export const BOUNDARY = 8;
const AFTER_DELIMITER = BOUNDARY + 1;
/** Less than a boundary, for a change of case is a weaker sign of a new word. */
const CAMEL = 5;

/** A path begins as if a delimiter were before it. */
export const BEFORE_PATH = DELIMITER;

export function kindAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  if (code >= 0x30 && code <= 0x39) return NUMBER;
  if (code === 0x2f) return DELIMITER;
  if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return WHITE;
  return code < 0x80 ? NON_WORD : kindBeyondAscii(text.charAt(index));
}

function kindBeyondAscii(character: string): number {
  if (/\p{Lowercase}/u.test(character)) return LOWER;
  if (/\p{Uppercase}/u.test(character)) return UPPER;
  if (/\p{N}/u.test(character)) return NUMBER;
  if (/\p{Alphabetic}/u.test(character)) return LETTER;
  return /\s/u.test(character) ? WHITE : NON_WORD;
}

export function bonusOf(before: number, kind: number): number {
  if (kind > DELIMITER && before <= DELIMITER) return before === DELIMITER ? AFTER_DELIMITER : BOUNDARY;
  if ((before === LOWER && kind === UPPER) || (before !== NUMBER && kind === NUMBER)) return CAMEL;
  return kind === WHITE || kind === NON_WORD ? BOUNDARY : 0;
}

/** The bonus of the character at `index`, whatever else is matched. */
export function bonusAt(text: string, index: number): number {
  return bonusOf(index === 0 ? BEFORE_PATH : kindAt(text, index - 1), kindAt(text, index));
}
