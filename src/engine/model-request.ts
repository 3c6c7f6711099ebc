import type { ModelRequest } from "../model/model.ts";
import type { ResponseItem } from "../protocol/generated/types.ts";
import type { ThreadSettings } from "./settings.ts";

const BASE_INSTRUCTIONS =
  "You are a coding agent. You work with the user in their project folder. Be exact, be brief, and say what you did.";

export interface ConversationIds {
  readonly threadId: string;
  readonly turnId: string;
}

/** What the model is asked: who it is, and the conversation so far. */
export function toModelRequest(
  settings: ThreadSettings,
  history: readonly ResponseItem[],
  { threadId, turnId }: ConversationIds,
): ModelRequest {
  const { effort, summary } = settings;
  return {
    model: settings.model,
    input: [...instructionsOf(settings), ...history],
    tools: [],
    parallelToolCalls: true,
    reasoning: {
      ...(effort === null ? {} : { effort }),
      ...(summary === "none" ? {} : { summary: summary ?? "auto" }),
    },
    text: null,
    serviceTier: settings.serviceTier,
    promptCacheKey: threadId,
    clientMetadata: { thread_id: threadId, turn_id: turnId, session_id: threadId },
    headers: { "session-id": threadId, "thread-id": threadId },
  };
}

function instructionsOf({ baseInstructions, developerInstructions }: ThreadSettings): ResponseItem[] {
  const texts = [baseInstructions ?? BASE_INSTRUCTIONS, developerInstructions].filter(
    (text) => text !== null,
  );
  return texts.map((text) => ({
    type: "message",
    role: "developer",
    content: [{ type: "input_text", text }],
  }));
}
