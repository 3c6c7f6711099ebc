/** Reads the items and the usage of a response, as a provider sent them. */
import { isObject } from "../../base/json-object.ts";
import type { ResponseItem, TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import { numberOf } from "../provider-input.ts";

/** `parts` is a list of objects that each have a type. */
type Shape = "string" | "object" | "parts" | "list" | "any";

/** What an item must have before others may rely on it. */
const MEMBERS: Readonly<Record<ResponseItem["type"], Readonly<Record<string, Shape>>>> = {
  additional_tools: { role: "string", tools: "list" },
  agent_message: { author: "string", recipient: "string", content: "parts" },
  compaction: { encrypted_content: "string" },
  compaction_trigger: {},
  configuration_update: { reasoning: "object" },
  context_compaction: {},
  custom_tool_call: { call_id: "string", name: "string", input: "string" },
  custom_tool_call_output: { call_id: "string", output: "any" },
  function_call: { name: "string", arguments: "string", call_id: "string" },
  function_call_output: { output: "any" },
  image_generation_call: { status: "string", result: "string" },
  local_shell_call: { status: "string", action: "object" },
  message: { role: "string", content: "parts" },
  other: {},
  reasoning: { summary: "parts" },
  tool_search_call: { execution: "string", arguments: "any" },
  tool_search_output: { status: "string", execution: "string", tools: "list" },
  web_search_call: {},
};

const CHECKS: Readonly<Record<Shape, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  object: isObject,
  parts: (value) =>
    Array.isArray(value) && value.every((part) => isObject(part) && typeof part["type"] === "string"),
  list: Array.isArray,
  any: (value) => value !== undefined,
};

/** An item of a stream, untouched, or null if it is of no known kind or lacks what its kind must have. */
export function parseResponseItem(value: unknown): ResponseItem | null {
  if (!isObject(value) || typeof value["type"] !== "string" || !Object.hasOwn(MEMBERS, value["type"]))
    return null;
  const members = MEMBERS[value["type"] as ResponseItem["type"]];
  const fits = Object.entries(members).every(([name, shape]) => CHECKS[shape](value[name]));
  return fits ? (value as ResponseItem) : null;
}

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
