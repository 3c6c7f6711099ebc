import type { ThreadTokenUsage, TokenUsageBreakdown } from "../../protocol/generated/types.ts";

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
  /** What was added belongs to a turn, which is told from now on. */
  belongsTo(turnId: string): void;
  /** The history was replaced; what the next request will hold is only known roughly. */
  estimate(totalTokens: number): void;
  /** Whether any response has said what it used. */
  readonly isKnown: boolean;
  /** The turn of the last response; null where that is not known. */
  readonly turnId: string | null;
  /** How full the model's window was at the last response. */
  readonly lastTokens: number;
  read(modelContextWindow: number | null): ThreadTokenUsage;
}

/** Goes on from what the thread had used before. */
export function createUsageCounter(
  before: ThreadTokenUsage | null = null,
  beforeTurnId: string | null = null,
): UsageCounter {
  let total = before?.total ?? NONE;
  let last = before?.last ?? NONE;
  // What was used before was used of the window that it was told with.
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
