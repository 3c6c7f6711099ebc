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
export class UsageCounter {
  #total: TokenUsageBreakdown;
  #last: TokenUsageBreakdown;
  #turnId: string | null;
  /** Stored usage is reported with the context window that it was stored with. */
  #windowBefore: number | null;

  /** Starts with the stored usage of a thread. */
  constructor(before: ThreadTokenUsage | null = null, beforeTurnId: string | null = null) {
    this.#total = before?.total ?? NONE;
    this.#last = before?.last ?? NONE;
    this.#turnId = beforeTurnId;
    this.#windowBefore = before?.modelContextWindow ?? null;
  }

  /** Whether any response has reported its usage. */
  get isKnown(): boolean {
    return this.#total !== NONE;
  }

  /** The turn of the last response; null where it is unknown. */
  get turnId(): string | null {
    return this.#turnId;
  }

  /** The tokens in the context window at the last response. */
  get lastTokens(): number {
    return this.#last.totalTokens;
  }

  /** Sets the estimated size of a replaced history. */
  estimate(totalTokens: number): void {
    this.#last = { ...NONE, totalTokens };
    this.#windowBefore = null;
  }

  /** Assigns the added usage to a turn. */
  belongsTo(turnId: string): void {
    this.#turnId = turnId;
  }

  add(usage: TokenUsageBreakdown): void {
    const total = this.#total;
    this.#last = usage;
    this.#windowBefore = null;
    this.#total = {
      totalTokens: total.totalTokens + usage.totalTokens,
      inputTokens: total.inputTokens + usage.inputTokens,
      cachedInputTokens: total.cachedInputTokens + usage.cachedInputTokens,
      cacheWriteInputTokens: total.cacheWriteInputTokens + usage.cacheWriteInputTokens,
      outputTokens: total.outputTokens + usage.outputTokens,
      reasoningOutputTokens: total.reasoningOutputTokens + usage.reasoningOutputTokens,
    };
  }

  read(modelContextWindow: number | null): ThreadTokenUsage {
    return {
      total: this.#total,
      last: this.#last,
      modelContextWindow: this.#windowBefore ?? modelContextWindow,
    };
  }
}
