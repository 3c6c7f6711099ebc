/**
 * Finds lines of a patch in a file although models seldom copy them exactly: first as they are, then
 * without trailing white space, then without any white space around them, and last with typographic
 * dashes, quotes and spaces taken for their ASCII forms. A stricter match anywhere wins over a looser one.
 */
import { trim, trimEnd } from "./patch.ts";

const LENIENCES: readonly ((line: string) => string)[] = [(line) => line, trimEnd, trim, toAscii];

const DASHES = /[\u2010-\u2015\u2212]/g;
const SINGLE_QUOTES = /[\u2018-\u201b]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f]/g;
const SPACES = /[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g;

/**
 * The first place at or after `from` where `wanted` stands, or, with `atEnd`, only the place where it would
 * end the file.
 */
export function seekLines(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  atEnd: boolean,
): number | undefined {
  if (wanted.length === 0) return from;
  const last = lines.length - wanted.length;
  const first = atEnd ? Math.max(last, from) : from;
  if (last < first) return undefined;
  for (const lenience of LENIENCES) {
    const found = find(lines, wanted.map(lenience), first, lenience);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Knuth, Morris and Pratt's search: it looks at each line once, however often the wanted lines repeat. */
function find(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  lenience: (line: string) => string,
): number | undefined {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let index = from; index < lines.length; index += 1) {
    const line = lenience(lines[index] ?? "");
    while (matched > 0 && wanted[matched] !== line) matched = borders[matched - 1] ?? 0;
    if (wanted[matched] === line) matched += 1;
    if (matched === wanted.length) return index + 1 - matched;
  }
  return undefined;
}

/** For each start of the list, the length of the longest shorter start that it also ends with. */
function bordersOf(wanted: readonly string[]): number[] {
  const borders = [0];
  let length = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    while (length > 0 && wanted[length] !== wanted[index]) length = borders[length - 1] ?? 0;
    if (wanted[length] === wanted[index]) length += 1;
    borders.push(length);
  }
  return borders;
}

function toAscii(line: string): string {
  return trim(line)
    .replace(DASHES, "-")
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(SPACES, " ");
}
