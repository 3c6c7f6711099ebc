// The calls of a transcript and their results: in what the model remembers, each call has exactly one output.
import type { ContentBlock, OutputPart } from "./content-block.ts";
import { importedCallId } from "./imported-id.ts";
import {
  callItem,
  callOutputItem,
  type ToolCall,
  type ToolResult,
  toolItem,
  UNANSWERED,
} from "./tool-item.ts";
import type { TurnWriter } from "./turn-writer.ts";

type ToolUse = Extract<ContentBlock, { type: "toolUse" }>;

export interface CallLedger {
  /** False when the call is not new. */
  open(use: ToolUse, cwd: string): boolean;
  /** False when nothing waits for this result. */
  answer(sourceId: string, result: Omit<ToolResult, "completedAtMs">): boolean;
  /** Ends the calls that nothing has answered. */
  abandon(): void;
}

export function createCallLedger(threadId: string, writer: TurnWriter): CallLedger {
  const waiting = new Map<string, ToolCall>();
  const seen = new Set<string>();

  function close(call: ToolCall, result: ToolResult | null): void {
    const output: readonly OutputPart[] = result?.output ?? [{ type: "text", text: UNANSWERED }];
    writer.remember(callOutputItem(call.callId, output));
    writer.item(toolItem(call, result), call.startedAtMs);
  }

  return {
    open({ id, name, input }, cwd) {
      const callId = importedCallId(threadId, id);
      if (seen.has(callId)) return false;
      seen.add(callId);
      const call = { callId, name, input, cwd, startedAtMs: writer.nowMs };
      waiting.set(callId, call);
      writer.remember(callItem(call));
      return true;
    },
    answer(sourceId, result) {
      const callId = importedCallId(threadId, sourceId);
      const call = waiting.get(callId);
      if (call === undefined) return false;
      waiting.delete(callId);
      close(call, { ...result, completedAtMs: writer.nowMs });
      return true;
    },
    abandon() {
      for (const call of waiting.values()) close(call, null);
      waiting.clear();
    },
  };
}
