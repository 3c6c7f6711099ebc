// Counts of tokens: snake_case in the files, camelCase on the wire.
import type { JsonObject } from "../../base/json-object.ts";
import type { ThreadTokenUsage, TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import { numberOf, objectOf } from "./members.ts";

export function storeUsage(usage: TokenUsageBreakdown): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_input_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_output_tokens: usage.reasoningOutputTokens,
    total_tokens: usage.totalTokens,
  };
}

export function readUsage(stored: JsonObject): TokenUsageBreakdown {
  return {
    totalTokens: numberOf(stored, "total_tokens") ?? 0,
    inputTokens: numberOf(stored, "input_tokens") ?? 0,
    cachedInputTokens: numberOf(stored, "cached_input_tokens") ?? 0,
    cacheWriteInputTokens: numberOf(stored, "cache_write_input_tokens") ?? 0,
    outputTokens: numberOf(stored, "output_tokens") ?? 0,
    reasoningOutputTokens: numberOf(stored, "reasoning_output_tokens") ?? 0,
  };
}

/** What a `token_count` event says of the thread; null when it says nothing of it. */
export function readTokenCount(event: JsonObject): ThreadTokenUsage | null {
  const info = objectOf(event, "info");
  const total = info === null ? null : objectOf(info, "total_token_usage");
  const last = info === null ? null : objectOf(info, "last_token_usage");
  if (info === null || total === null || last === null) return null;
  return {
    total: readUsage(total),
    last: readUsage(last),
    modelContextWindow: numberOf(info, "model_context_window"),
  };
}
