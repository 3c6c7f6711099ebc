/**
 * What a client types to find a file: words that must all match, each of them fuzzily, or as it stands after `'`, at
 * the beginning after `^`, at the end before `$`, or not at all after `!`.
 */

import { fold, type Haystack, hasAccents, toUnits } from "./haystack.ts";
import { bonusAt, MAX_CELLS, type Match, scoreBest, scoreRun } from "./match-score.ts";

type Place = "anywhere" | "together" | "beginning" | "end" | "whole";

interface Word {
  readonly needle: string;
  readonly place: Place;
  readonly isForbidden: boolean;
  /** A word that has accents is looked for with them. */
  readonly accents: boolean;
}

export type Query = readonly Word[];

export function parseQuery(text: string): Query {
  return splitWords(text)
    .map(parseWord)
    .filter(({ needle }) => needle !== "");
}

/** The sum of all words, or null when one of them does not match. */
export function matchQuery(query: Query, haystack: Haystack): Match | null {
  let score = 0;
  const indices = new Set<number>();
  for (const word of query) {
    const match = matchWord(word, haystack);
    if ((match === null) !== word.isForbidden) return null;
    if (match === null) continue;
    score += match.score;
    for (const index of match.indices) indices.add(index);
  }
  return { score, indices: [...indices].sort((one, other) => one - other) };
}

/** White space separates words unless a backslash is before it. */
function splitWords(text: string): string[] {
  return text.match(/(?:\\\s|\S)+/gu) ?? [];
}

function parseWord(word: string): Word {
  const isForbidden = word.startsWith("!");
  let rest = isForbidden ? word.slice(1) : word.replace(/^\\(?=!)/, "");
  const sign = /^[\^']/.exec(rest)?.[0] ?? null;
  rest = sign === null ? rest.replace(/^\\(?=[\^'])/, "") : rest.slice(1);
  const atEnd = rest.endsWith("$") && !rest.endsWith("\\$");
  rest = rest.endsWith("\\$") ? `${rest.slice(0, -2)}$` : atEnd ? rest.slice(0, -1) : rest;
  const units = toUnits(rest.replaceAll(/\\(?=\s)/gu, ""));
  const accents = hasAccents(units);
  return {
    needle: fold(units, { accents: true }),
    place: placeOf(sign, atEnd, isForbidden),
    isForbidden,
    accents,
  };
}

function placeOf(sign: string | null, atEnd: boolean, isForbidden: boolean): Place {
  if (atEnd) return sign === null ? "end" : "whole";
  if (sign !== null) return sign === "^" ? "beginning" : "together";
  return isForbidden ? "together" : "anywhere";
}

function matchWord({ needle, place, accents }: Word, plain: Haystack): Match | null {
  const haystack = accents ? { text: plain.text, folded: fold(plain.text, { accents }) } : plain;
  const { folded } = haystack;
  const fromEnd = folded.length - needle.length;
  const runAt = (at: number) => scoreRun(haystack, needle, at, at + needle.length);
  switch (place) {
    case "anywhere":
      return matchAnywhere(haystack, needle);
    case "together":
      return matchTogether(haystack, needle);
    case "beginning":
      return folded.startsWith(needle) ? runAt(0) : null;
    case "end":
      return folded.endsWith(needle) ? runAt(fromEnd) : null;
    case "whole":
      return folded === needle ? runAt(0) : null;
  }
}

function matchAnywhere(haystack: Haystack, needle: string): Match | null {
  const { folded } = haystack;
  const start = folded.indexOf(needle.charAt(0));
  let reached = start;
  for (let index = 1; reached !== -1 && index < needle.length; index += 1) {
    reached = folded.indexOf(needle.charAt(index), reached + 1);
  }
  if (reached === -1) return null;
  if (needle.length === 1) return matchTogether(haystack, needle);
  const end = folded.lastIndexOf(needle.charAt(needle.length - 1)) + 1;
  if (end - start === needle.length) return scoreRun(haystack, needle, start, end);
  if ((end - start) * needle.length <= MAX_CELLS) return scoreBest(haystack, needle, { start, end });
  return scoreRun(haystack, needle, closestStart(folded, needle, reached), reached + 1);
}

/** The latest place from which the needle still fits before `end`. */
function closestStart(folded: string, needle: string, end: number): number {
  let at = end + 1;
  for (let index = needle.length - 1; index >= 0; index -= 1) {
    at = folded.lastIndexOf(needle.charAt(index), at - 1);
  }
  return at;
}

/** Of several places the one whose first character is worth most, and of those the first. */
function matchTogether(haystack: Haystack, needle: string): Match | null {
  let best = -1;
  let bestBonus = -1;
  for (let at = haystack.folded.indexOf(needle); at !== -1; at = haystack.folded.indexOf(needle, at + 1)) {
    const bonus = bonusAt(haystack.text, at);
    if (bonus > bestBonus) [best, bestBonus] = [at, bonus];
  }
  return best === -1 ? null : scoreRun(haystack, needle, best, best + needle.length);
}
