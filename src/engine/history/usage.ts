import type { ThreadTokenUsage, TokenUsageBreakdown } from "../../protocol/generated/types.ts";

const NONE: TokenUsageBreakdown = {
  totalTokens: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
};

/** Token usage of a thread: the total, and that of the last response. */
export interface UsageCounter {
  add(last: TokenUsageBreakdown): void;
  /** Assigns the added usage to a turn. */
  belongsTo(turnId: string): void;
  /** Sets the estimated size of a replaced history. */
  estimate(totalTokens: number): void;
  /** Whether any response has reported its usage. */
  readonly isKnown: boolean;
  /** The turn of the last response; null where it is unknown. */
  readonly turnId: string | null;
  /** The tokens in the context window at the last response. */
  readonly lastTokens: number;
  read(modelContextWindow: number | null): ThreadTokenUsage;
}

/** Starts with the stored usage of a thread. */
export function createUsageCounter(
  before: ThreadTokenUsage | null = null,
  beforeTurnId: string | null = null,
): UsageCounter {
  let total = before?.total ?? NONE;
  let last = before?.last ?? NONE;
  // Stored usage is reported with the context window that it was stored with.
  let turnId = beforeTurnId;
  let windowBefore = before?.modelContextWindow ?? null;
  return {
    get isKnown() {
      return total !== NONE;
    },
    get turnId() {
      return turnId;
    },
    get lastTokens() {
      return last.totalTokens;
    },
    estimate(totalTokens) {
      last = { ...NONE, totalTokens };
      windowBefore = null;
    },
    belongsTo(id) {
      turnId = id;
    },
    add(usage) {
      last = usage;
      windowBefore = null;
      total = {
        totalTokens: total.totalTokens + usage.totalTokens,
        inputTokens: total.inputTokens + usage.inputTokens,
        cachedInputTokens: total.cachedInputTokens + usage.cachedInputTokens,
        cacheWriteInputTokens: total.cacheWriteInputTokens + usage.cacheWriteInputTokens,
        outputTokens: total.outputTokens + usage.outputTokens,
        reasoningOutputTokens: total.reasoningOutputTokens + usage.reasoningOutputTokens,
      };
    },
    read: (window) => ({ total, last, modelContextWindow: windowBefore ?? window }),
  };
}
