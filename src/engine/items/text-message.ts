import type { ResponseItem } from "../../protocol/generated/types.ts";

/** Words of the server to the model. */
export function textMessage(role: "user" | "developer" | "assistant", text: string): ResponseItem {
  const type = role === "assistant" ? "output_text" : "input_text";
  return { type: "message", role, content: [{ type, text }] };
}
