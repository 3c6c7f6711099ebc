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

export function isKnownItem({ type }: ResponseItem): boolean {
  return KNOWN.has(type);
}

/** The ids of calls and of outputs in a history, and whether each has its counterpart. */
export interface CallPairs {
  add(item: ResponseItem): void;
  readonly called: ReadonlySet<string>;
  readonly answered: ReadonlySet<string>;
  isComplete(): boolean;
}

export function createCallPairs(): CallPairs {
  const called = new Set<string>();
  const answered = new Set<string>();
  let unpaired = 0;
  return {
    add(item) {
      const id = callIdOf(item);
      if (id === null) return;
      const [own, other] = isOutput(item) ? [answered, called] : [called, answered];
      if (own.has(id)) return;
      own.add(id);
      unpaired += other.has(id) ? -1 : 1;
    },
    called,
    answered,
    isComplete: () => unpaired === 0,
  };
}

/**
 * Providers reject a call without an output and an output without a call, which an injected or truncated history may
 * contain. `added` keeps the outputs that are added, so that the next request has the same objects.
 */
export function addMissingOutputs(
  items: readonly ResponseItem[],
  { called, answered }: CallPairs,
  added: WeakMap<ResponseItem, ResponseItem>,
): ResponseItem[] {
  return items.flatMap((item) => {
    const id = callIdOf(item);
    if (id === null) return [item];
    if (isOutput(item)) return called.has(id) ? [item] : [];
    if (answered.has(id)) return [item];
    const output = added.get(item) ?? abortedOutput(item, id);
    added.set(item, output);
    return [item, output];
  });
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
