/** Scores the match of a query with a path by the kinds and positions of the matched characters. */
import type { Haystack } from "./haystack.ts";

const MATCH = 16;
const GAP_START = 3;
const GAP_MORE = 1;
/** The minimum bonus of a consecutive character: the cost of the gap that it avoids. */
const CONSECUTIVE = GAP_START + GAP_MORE;
/** The bonus of the first character counts double, because it is the most significant. */
const FIRST_FACTOR = 2;

export interface Match {
  readonly score: number;
  /** The characters that matched, in ascending order. */
  readonly indices: readonly number[];
}

/** Character kinds, from white space to word characters; the order matters. */
const WHITE = 0;
const NON_WORD = 1;
const DELIMITER = 2;
const LOWER = 3;
const UPPER = 4;
const LETTER = 5;
const NUMBER = 6;

const BOUNDARY = 8;
const AFTER_DELIMITER = BOUNDARY + 1;
/** Less than a boundary, because a change of case is a weaker sign of a new word. */
const CAMEL = 5;

/** The start of a path counts as preceded by a delimiter. */
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

/** The bonus of the character at `index`, independent of other matches. */
export function bonusAt(text: string, index: number): number {
  return bonusOf(index === 0 ? BEFORE_PATH : kindAt(text, index - 1), kindAt(text, index));
}

/** Scores the greedy match from `start` on. */
export function scoreRun({ text, folded }: Haystack, needle: string, start: number, end: number): Match {
  const indices = [start];
  let runBonus = bonusAt(text, start);
  let score = MATCH + runBonus * FIRST_FACTOR;
  let isInGap = false;
  for (let at = start + 1; at < end && indices.length < needle.length; at += 1) {
    if (folded.charCodeAt(at) !== needle.charCodeAt(indices.length)) {
      score = Math.max(0, score - (isInGap ? GAP_MORE : GAP_START));
      isInGap = true;
      continue;
    }
    const bonus = bonusAt(text, at);
    if (isInGap) runBonus = bonus;
    else if (bonus >= BOUNDARY && bonus > runBonus) runBonus = bonus;
    score += MATCH + (isInGap ? bonus : Math.max(bonus, runBonus, CONSECUTIVE));
    isInGap = false;
    indices.push(at);
  }
  return { score, indices };
}

/** Above this table size the caller falls back to a greedy match. */
export const MAX_CELLS = 100 * 1024;

const BY_RUN = 1;
const GAP_AFTER_MATCH = 2;

interface Row {
  /** Zero where the character does not match. */
  readonly scores: Uint16Array;
  readonly bonuses: Uint8Array;
  readonly byRun: Uint8Array;
}

/**
 * Finds the alignment of a query in a path with the best score, by dynamic programming over (query character, path
 * index): a row's `scores` are the best scores with this character at this index, `before` the best one with it at an
 * earlier index minus the gap penalty. The needle must be a subsequence of the path between `start` and `end`.
 */
export function scoreBest(
  haystack: Haystack,
  needle: string,
  { start, end }: { readonly start: number; readonly end: number },
): Match {
  const { text, folded } = haystack;
  const width = end - start;
  const first = firstColumns(folded, needle, start);
  const backtrack = new Uint8Array(needle.length * width);
  let row = firstRow(haystack, needle, start, width);
  let next = createRow(width);
  for (let line = 0; line + 1 < needle.length; line += 1) {
    next.scores.fill(0);
    let before = 0;
    let previous = 0;
    for (let column = first[line] ?? 0; column < width; column += 1) {
      const afterMatch = Math.max(0, previous - GAP_START);
      const longer = Math.max(0, before - GAP_MORE);
      before = Math.max(afterMatch, longer);
      previous = row.scores[column] ?? 0;
      const isRun = previous === 0 || row.byRun[column] === 1;
      backtrack[line * width + column] = (isRun ? BY_RUN : 0) | (afterMatch > longer ? GAP_AFTER_MATCH : 0);
      const index = start + column + 1;
      if (index >= end || folded.charCodeAt(index) !== needle.charCodeAt(line + 1)) continue;
      if (column + 1 >= (first[line + 1] ?? 0))
        fillCell(row, next, column, { before, bonus: bonusAt(text, index) });
    }
    [row, next] = [next, row];
  }
  const last = lastBest(row.scores, first[needle.length - 1] ?? 0);
  const indices = trace({ backtrack, width, last, isRun: row.byRun[last] === 1, length: needle.length });
  return { score: row.scores[last] ?? 0, indices: indices.map((column) => start + column) };
}

function firstRow({ text, folded }: Haystack, needle: string, start: number, width: number): Row {
  const row = createRow(width);
  for (let column = 0; column < width; column += 1) {
    if (folded.charCodeAt(start + column) !== needle.charCodeAt(0)) continue;
    const bonus = bonusAt(text, start + column);
    row.scores[column] = MATCH + bonus * FIRST_FACTOR;
    row.bonuses[column] = bonus;
  }
  return row;
}

function createRow(width: number): Row {
  return { scores: new Uint16Array(width), bonuses: new Uint8Array(width), byRun: new Uint8Array(width) };
}

/** Fills the cell after `column` in the next row: reached by a consecutive match, or after a gap. */
function fillCell(
  row: Row,
  next: Row,
  column: number,
  { before, bonus }: { readonly before: number; readonly bonus: number },
): void {
  const score = row.scores[column] ?? 0;
  let runBonus = Math.max(row.bonuses[column] ?? 0, CONSECUTIVE);
  if (bonus >= BOUNDARY && bonus > runBonus) runBonus = bonus;
  const byRun = score > 0 && score + Math.max(runBonus, bonus) > before + bonus;
  next.scores[column + 1] = MATCH + (byRun ? score + Math.max(runBonus, bonus) : before + bonus);
  next.bonuses[column + 1] = byRun ? runBonus : bonus;
  next.byRun[column + 1] = byRun ? 1 : 0;
}

function firstColumns(folded: string, needle: string, start: number): number[] {
  const places: number[] = [];
  let at = start - 1;
  for (const character of needle) {
    at = folded.indexOf(character, at + 1);
    places.push(at - start);
  }
  return places;
}

function lastBest(scores: Uint16Array, from: number): number {
  let best = from;
  for (let column = from; column < scores.length; column += 1) {
    if ((scores[column] ?? 0) >= (scores[best] ?? 0)) best = column;
  }
  return best;
}

interface Trace {
  readonly backtrack: Uint8Array;
  readonly width: number;
  readonly last: number;
  readonly isRun: boolean;
  readonly length: number;
}

/** Backtracks from the best end. */
function trace({ backtrack, width, last, isRun, length }: Trace): number[] {
  const columns = [last];
  let isMatch = isRun;
  let line = length - 2;
  for (let column = last - 1; line >= 0 && column >= 0; column -= 1) {
    const flags = backtrack[line * width + column] ?? 0;
    if (isMatch) {
      columns.push(column);
      line -= 1;
    }
    isMatch = (flags & (isMatch ? BY_RUN : GAP_AFTER_MATCH)) !== 0;
  }
  return columns.reverse();
}
