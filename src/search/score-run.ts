/** Scores a match whose characters are taken where they first come, from `start` on. */
import { BOUNDARY, bonusAt } from "./character-bonus.ts";
import type { Haystack } from "./haystack.ts";

export const MATCH = 16;
export const GAP_START = 3;
export const GAP_MORE = 1;
/** What a character right after another one gets at least: as much as the gap between them would have cost. */
export const CONSECUTIVE = GAP_START + GAP_MORE;
/** The first character of a query says most about where it belongs. */
export const FIRST_FACTOR = 2;

export interface Match {
  readonly score: number;
  /** The characters that matched, in ascending order. */
  readonly indices: readonly number[];
}

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
