/**
 * Finds the placement of a query's characters in a path that scores best, by dynamic programming over (character of
 * the query, place in the path): `M` is the best score with this character at this place, `P` the best one with it
 * somewhere before, less what the gap costs.
 */
import { BOUNDARY, bonusAt } from "./character-bonus.ts";
import type { Haystack } from "./haystack.ts";
import { CONSECUTIVE, FIRST_FACTOR, GAP_MORE, GAP_START, MATCH, type Match } from "./score-run.ts";

/** Larger tables are not worth their time; the caller takes the first placement that it finds. */
export const MAX_CELLS = 100 * 1024;

const BY_RUN = 1;
const GAP_AFTER_MATCH = 2;

interface Row {
  /** Zero where the character does not match. */
  readonly scores: Uint16Array;
  readonly bonuses: Uint8Array;
  readonly byRun: Uint8Array;
}

/** The characters of the needle are known to be there, in their order, between `start` and `end`. */
export function scoreBest(
  haystack: Haystack,
  needle: string,
  { start, end }: { readonly start: number; readonly end: number },
): Match {
  const { text, folded } = haystack;
  const width = end - start;
  const first = firstPlaces(folded, needle, start);
  const ways = new Uint8Array(needle.length * width);
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
      ways[line * width + column] = (isRun ? BY_RUN : 0) | (afterMatch > longer ? GAP_AFTER_MATCH : 0);
      const place = start + column + 1;
      if (place >= end || folded.charCodeAt(place) !== needle.charCodeAt(line + 1)) continue;
      if (column + 1 >= (first[line + 1] ?? 0))
        fillCell(row, next, column, { before, bonus: bonusAt(text, place) });
    }
    [row, next] = [next, row];
  }
  const last = lastBest(row.scores, first[needle.length - 1] ?? 0);
  const indices = trace({ ways, width, last, isRun: row.byRun[last] === 1, length: needle.length });
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

/** The cell after `column` in the next row: reached by going on right after a match, or over a gap. */
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

function firstPlaces(folded: string, needle: string, start: number): number[] {
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
  readonly ways: Uint8Array;
  readonly width: number;
  readonly last: number;
  readonly isRun: boolean;
  readonly length: number;
}

/** Goes back from the best end along the ways that led there. */
function trace({ ways, width, last, isRun, length }: Trace): number[] {
  const columns = [last];
  let isMatch = isRun;
  let line = length - 2;
  for (let column = last - 1; line >= 0 && column >= 0; column -= 1) {
    const way = ways[line * width + column] ?? 0;
    if (isMatch) {
      columns.push(column);
      line -= 1;
    }
    isMatch = (way & (isMatch ? BY_RUN : GAP_AFTER_MATCH)) !== 0;
  }
  return columns.reverse();
}
