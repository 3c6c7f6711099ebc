/**
 * Finds the lines of a patch in a file although models seldom copy them exactly: first verbatim, then without
 * trailing white space, then without surrounding white space, and last with typographic dashes, quotes and
 * spaces mapped to ASCII. A stricter match anywhere wins over a looser one.
 */
import { trim, trimEnd } from "./patch.ts";

const NORMALIZERS: readonly ((line: string) => string)[] = [(line) => line, trimEnd, trim, toAscii];

const DASHES = /[\u2010-\u2015\u2212]/g;
const SINGLE_QUOTES = /[\u2018-\u201b]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f]/g;
const SPACES = /[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g;

/**
 * The first index at or after `from` where the lines match or, with `atEnd`, only the index where they would
 * end the file.
 */
export function seekLines(
  lines: readonly string[],
  needle: readonly string[],
  from: number,
  atEnd: boolean,
): number | undefined {
  if (needle.length === 0) return from;
  const last = lines.length - needle.length;
  const first = atEnd ? Math.max(last, from) : from;
  if (last < first) return undefined;
  for (const lenience of NORMALIZERS) {
    const found = find(lines, needle.map(lenience), first, lenience);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Knuth-Morris-Pratt search: visits each line once, however often the searched lines repeat. */
function find(
  lines: readonly string[],
  needle: readonly string[],
  from: number,
  lenience: (line: string) => string,
): number | undefined {
  const borders = bordersOf(needle);
  let matched = 0;
  for (let index = from; index < lines.length; index += 1) {
    const line = lenience(lines[index] ?? "");
    while (matched > 0 && needle[matched] !== line) matched = borders[matched - 1] ?? 0;
    if (needle[matched] === line) matched += 1;
    if (matched === needle.length) return index + 1 - matched;
  }
  return undefined;
}

/** The KMP failure table: for each prefix, the length of its longest proper prefix that is also a suffix. */
function bordersOf(needle: readonly string[]): number[] {
  const borders = [0];
  let length = 0;
  for (let index = 1; index < needle.length; index += 1) {
    while (length > 0 && needle[length] !== needle[index]) length = borders[length - 1] ?? 0;
    if (needle[length] === needle[index]) length += 1;
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
