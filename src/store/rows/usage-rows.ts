/** Sums of spent tokens, as databases have them. */
import type { SpentSum } from "../activity.ts";

export const USAGE_SUMS = [
  "turns",
  "input",
  "cached",
  "cache_write",
  "output",
  "reasoning",
  "total",
] as const;

export type SumRow = Readonly<Record<(typeof USAGE_SUMS)[number], number>> & {
  readonly folder: string | null;
  readonly model: string;
};

export function toSum(row: SumRow): SpentSum {
  return {
    folder: row.folder,
    model: row.model,
    turns: row.turns,
    inputTokens: row.input,
    cachedInputTokens: row.cached,
    cacheWriteInputTokens: row.cache_write,
    outputTokens: row.output,
    reasoningOutputTokens: row.reasoning,
    totalTokens: row.total,
  };
}
