/** Adds the deltas of an item that is still being produced to what is known of it. */
import type { ThreadItem } from "../../protocol/generated/types.ts";

/** Output beyond this is cut at its beginning; the whole of it is read when the item is opened. */
export const MAX_LIVE_OUTPUT = 64 * 1024;

interface DeltaParams {
  readonly delta?: string;
  readonly summaryIndex?: number;
  readonly contentIndex?: number;
}

/** Null for a notification that is no delta of such an item. */
export function appendDelta(item: ThreadItem, method: string, params: object): ThreadItem | null {
  const { delta, summaryIndex = 0, contentIndex = 0 } = params as DeltaParams;
  if (typeof delta !== "string") return null;
  switch (method) {
    case "item/agentMessage/delta":
      return item.type === "agentMessage" ? { ...item, text: item.text + delta } : null;
    case "item/plan/delta":
      return item.type === "plan" ? { ...item, text: item.text + delta } : null;
    case "item/reasoning/summaryTextDelta":
      return item.type === "reasoning"
        ? { ...item, summary: withDelta(item.summary, summaryIndex, delta) }
        : null;
    case "item/reasoning/textDelta":
      return item.type === "reasoning"
        ? { ...item, content: withDelta(item.content, contentIndex, delta) }
        : null;
    case "item/commandExecution/outputDelta":
      return item.type === "commandExecution"
        ? { ...item, aggregatedOutput: lastPart((item.aggregatedOutput ?? "") + delta) }
        : null;
    default:
      return null;
  }
}

function withDelta(texts: readonly string[], index: number, delta: string): string[] {
  const all = [...texts];
  while (all.length <= index) all.push("");
  all[index] += delta;
  return all;
}

const lastPart = (text: string): string =>
  text.length > 2 * MAX_LIVE_OUTPUT ? text.slice(-MAX_LIVE_OUTPUT) : text;
