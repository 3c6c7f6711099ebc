// Lines as the engine writes them.
import type { ThreadItem } from "../../protocol/generated/types.ts";
import type { LineBody } from "./line.ts";
import { taskComplete, taskStarted } from "./turn-lines.ts";

export function started(turnId: string): LineBody {
  return taskStarted({ turnId, startedAt: 100, modelContextWindow: 1000, collaborationMode: "default" });
}

export function completed(turnId: string, lastAgentMessage: string | null = null): LineBody {
  return taskComplete({ turnId, startedAt: 100, completedAt: 101, durationMs: 1000, lastAgentMessage });
}

export function userItem(id: string, text: string): ThreadItem {
  return { type: "userMessage", id, clientId: null, content: [{ type: "text", text, text_elements: [] }] };
}

export function agentItem(id: string, text: string): ThreadItem {
  return {
    type: "agentMessage",
    id,
    text,
    phase: null,
    memoryCitation: null,
    delivery: null,
    questions: null,
  };
}
