import type { ThreadTokenUsage, TokenUsageBreakdown } from "../protocol/generated/types.ts";

const NONE: TokenUsageBreakdown = {
  totalTokens: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
};

/** What a thread has used so far: all together, and in its last response. */
export interface UsageCounter {
  add(last: TokenUsageBreakdown): void;
  read(modelContextWindow: number | null): ThreadTokenUsage;
}

export function createUsageCounter(): UsageCounter {
  let total = NONE;
  let last = NONE;
  return {
    add(usage) {
      last = usage;
      total = {
        totalTokens: total.totalTokens + usage.totalTokens,
        inputTokens: total.inputTokens + usage.inputTokens,
        cachedInputTokens: total.cachedInputTokens + usage.cachedInputTokens,
        cacheWriteInputTokens: total.cacheWriteInputTokens + usage.cacheWriteInputTokens,
        outputTokens: total.outputTokens + usage.outputTokens,
        reasoningOutputTokens: total.reasoningOutputTokens + usage.reasoningOutputTokens,
      };
    },
    read: (modelContextWindow) => ({ total, last, modelContextWindow }),
  };
}
