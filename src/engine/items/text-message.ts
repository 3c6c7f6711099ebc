import type { ResponseItem } from "../../protocol/generated/types.ts";

/** Words of the server to the model. */
export function textMessage(role: "user" | "developer" | "assistant", text: string): ResponseItem {
  const type = role === "assistant" ? "output_text" : "input_text";
  return { type: "message", role, content: [{ type, text }] };
}

/** Shows the model in the next turn why its last one has no end. */
export const TURN_ABORTED = textMessage(
  "user",
  "<turn_aborted>\nThe user interrupted the turn. Commands that were running may have done part of their work.\n</turn_aborted>",
);
