/** Reads the usage of a response, as a provider sent it. */
import { isObject } from "../../base/json-object.ts";
import type { TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import { numberOf } from "../provider-input.ts";

/** The usage of a finished response. Providers differ in which counts they give; a missing one is 0. */
export function parseUsage(value: unknown): TokenUsageBreakdown | null {
  if (!isObject(value)) return null;
  const input = isObject(value["input_tokens_details"]) ? value["input_tokens_details"] : {};
  const output = isObject(value["output_tokens_details"]) ? value["output_tokens_details"] : {};
  const inputTokens = numberOf(value["input_tokens"]);
  const outputTokens = numberOf(value["output_tokens"]);
  return {
    totalTokens: numberOf(value["total_tokens"]) || inputTokens + outputTokens,
    inputTokens,
    cachedInputTokens: numberOf(input["cached_tokens"]),
    cacheWriteInputTokens: numberOf(input["cache_write_tokens"]),
    outputTokens,
    reasoningOutputTokens: numberOf(output["reasoning_tokens"]),
  };
}
