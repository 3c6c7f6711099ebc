/**
 * The query syntax of file search: all words must match; fuzzily by default, as a substring after `'`, as a prefix after
 * `^`, as a suffix before `$`, and negated after `!`.
 */

import { foldText, type Haystack, hasAccents, toUnits } from "./haystack.ts";
import { bonusAt, MAX_CELLS, type Match, scoreBest, scoreRun } from "./match-score.ts";

type Anchor = "anywhere" | "together" | "beginning" | "end" | "whole";

interface Word {
  readonly needle: string;
  readonly anchor: Anchor;
  readonly isNegated: boolean;
  /** A word with accents matches only with them. */
  readonly accents: boolean;
}

export type Query = readonly Word[];

export function parseQuery(text: string): Query {
  return splitWords(text)
    .map(parseWord)
    .filter(({ needle }) => needle !== "");
}

/** The sum of the scores of all words; null if one does not match. */
export function matchQuery(query: Query, haystack: Haystack): Match | null {
  let score = 0;
  const indices = new Set<number>();
  for (const word of query) {
    const match = matchWord(word, haystack);
    if ((match === null) !== word.isNegated) return null;
    if (match === null) continue;
    score += match.score;
    for (const index of match.indices) indices.add(index);
  }
  return { score, indices: [...indices].sort((one, other) => one - other) };
}

/** White space separates words unless it is escaped with a backslash. */
function splitWords(text: string): string[] {
  return text.match(/(?:\\\s|\S)+/gu) ?? [];
}

function parseWord(word: string): Word {
  const isNegated = word.startsWith("!");
  let rest = isNegated ? word.slice(1) : word.replace(/^\\(?=!)/, "");
  const sign = /^[\^']/.exec(rest)?.[0] ?? null;
  rest = sign === null ? rest.replace(/^\\(?=[\^'])/, "") : rest.slice(1);
  const atEnd = rest.endsWith("$") && !rest.endsWith("\\$");
  rest = rest.endsWith("\\$") ? `${rest.slice(0, -2)}$` : atEnd ? rest.slice(0, -1) : rest;
  const units = toUnits(rest.replaceAll(/\\(?=\s)/gu, ""));
  const accents = hasAccents(units);
  return {
    needle: foldText(units, { accents: true }),
    anchor: anchorOf(sign, atEnd, isNegated),
    isNegated,
    accents,
  };
}

function anchorOf(sign: string | null, atEnd: boolean, isNegated: boolean): Anchor {
  if (atEnd) return sign === null ? "end" : "whole";
  if (sign !== null) return sign === "^" ? "beginning" : "together";
  return isNegated ? "together" : "anywhere";
}

function matchWord({ needle, anchor, accents }: Word, plain: Haystack): Match | null {
  const haystack = accents ? { text: plain.text, folded: foldText(plain.text, { accents }) } : plain;
  const { folded } = haystack;
  const fromEnd = folded.length - needle.length;
  const runAt = (at: number) => scoreRun(haystack, needle, at, at + needle.length);
  switch (anchor) {
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
  return scoreRun(haystack, needle, latestStart(folded, needle, reached), reached + 1);
}

/** The latest start from which the needle still matches before `end`. */
function latestStart(folded: string, needle: string, end: number): number {
  let at = end + 1;
  for (let index = needle.length - 1; index >= 0; index -= 1) {
    at = folded.lastIndexOf(needle.charAt(index), at - 1);
  }
  return at;
}

/** The occurrence with the highest bonus of its first character; of equals the first. */
function matchTogether(haystack: Haystack, needle: string): Match | null {
  let best = -1;
  let bestBonus = -1;
  for (let at = haystack.folded.indexOf(needle); at !== -1; at = haystack.folded.indexOf(needle, at + 1)) {
    const bonus = bonusAt(haystack.text, at);
    if (bonus > bestBonus) [best, bestBonus] = [at, bonus];
  }
  return best === -1 ? null : scoreRun(haystack, needle, best, best + needle.length);
}
