import type { ResponseItem } from "../../protocol/generated/types.ts";

/** The kinds of items that providers accept as input. */
const KNOWN: ReadonlySet<string> = new Set([
  "message",
  "reasoning",
  "local_shell_call",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "tool_search_call",
  "tool_search_output",
  "web_search_call",
  "image_generation_call",
  "additional_tools",
  "compaction",
]);

/**
 * Converts the history to provider input. Providers reject a call without an output and an output without a call, which
 * an injected or truncated history may contain. A valid history is returned unchanged.
 */
export function toPromptItems(history: readonly ResponseItem[]): readonly ResponseItem[] {
  const called = new Set<string>();
  const answered = new Set<string>();
  let areKnown = true;
  for (const item of history) {
    areKnown &&= KNOWN.has(item.type);
    const id = callIdOf(item);
    if (id !== null) (isOutput(item) ? answered : called).add(id);
  }
  if (areKnown && isSame(called, answered)) return history;
  return history.flatMap((item) => {
    if (!KNOWN.has(item.type)) return [];
    const id = callIdOf(item);
    if (id === null) return [item];
    if (isOutput(item)) return called.has(id) ? [item] : [];
    return answered.has(id) ? [item] : [item, abortedOutput(item, id)];
  });
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (a.size !== b.size) return false;
  for (const each of a) if (!b.has(each)) return false;
  return true;
}

const CALLS: ReadonlySet<string> = new Set([
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "tool_search_call",
]);

const OUTPUTS: ReadonlySet<string> = new Set([
  "function_call_output",
  "custom_tool_call_output",
  "tool_search_output",
]);

function isOutput({ type }: ResponseItem): boolean {
  return OUTPUTS.has(type);
}

function callIdOf(item: ResponseItem): string | null {
  if (!CALLS.has(item.type) && !isOutput(item)) return null;
  // The provider runs its own searches and needs no output for them.
  if ("execution" in item && item.execution !== "client") return null;
  return "call_id" in item && typeof item.call_id === "string" ? item.call_id : null;
}

function abortedOutput({ type }: ResponseItem, callId: string): ResponseItem {
  switch (type) {
    case "custom_tool_call":
      return { type: "custom_tool_call_output", call_id: callId, output: "aborted" };
    case "tool_search_call":
      return emptySearch(callId);
    default:
      return { type: "function_call_output", call_id: callId, output: "aborted" };
  }
}

/** The output of a tool search without results. */
export function emptySearch(callId: string): ResponseItem {
  return {
    type: "tool_search_output",
    call_id: callId,
    status: "completed",
    execution: "client",
    tools: [],
  };
}
