/** The calls of a response, and the items with their outputs. */
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { refuseCall, type ToolCall, type ToolResult } from "../../tools/tool.ts";
import { emptySearch } from "../items/prompt-items.ts";

export type ToolCallItem = Extract<ResponseItem, { type: "function_call" | "custom_tool_call" }>;
type SearchItem = Extract<ResponseItem, { type: "tool_search_call" }> & { readonly call_id: string };
export type CallItem = ToolCallItem | SearchItem;

/** The calls among the items of a response, in order. */
export function callsIn(items: readonly ResponseItem[]): CallItem[] {
  return items.filter(isCall);
}

function isCall(item: ResponseItem): item is CallItem {
  if (item.type === "tool_search_call") return item.execution === "client" && item.call_id != null;
  return item.type === "function_call" || item.type === "custom_tool_call";
}

/** Drops calls that repeat an earlier call id, because a call id has one output. */
export function withoutRepeats(items: readonly ResponseItem[]): ResponseItem[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    if (!isCall(item)) return true;
    if (seen.has(item.call_id)) return false;
    seen.add(item.call_id);
    return true;
  });
}

export function toCall(item: ToolCallItem): ToolCall {
  const input = item.type === "function_call" ? item.arguments : item.input;
  const { call_id: callId, name, namespace } = item;
  return { callId, name, input, ...(namespace == null ? {} : { namespace }) };
}

export function toOutput(item: CallItem, { output }: ToolResult): ResponseItem {
  switch (item.type) {
    case "function_call":
      return { type: "function_call_output", call_id: item.call_id, output };
    case "custom_tool_call":
      return { type: "custom_tool_call_output", call_id: item.call_id, output };
    case "tool_search_call":
      return emptySearch(item.call_id);
  }
}

/** Every call needs an output, or the provider rejects later requests. */
export function abortedAfter(item: CallItem, ms: number): ToolResult {
  const seconds = (ms / 1000).toFixed(1);
  const isCommand = item.type === "function_call" && item.name === "exec_command" && item.namespace == null;
  const output = isCommand
    ? `Wall time: ${seconds} seconds\naborted by user`
    : `aborted by user after ${seconds}s`;
  return refuseCall(output);
}
