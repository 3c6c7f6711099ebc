/** An assistant message as a Responses API item, for wire formats that stream text without items. */
import type { ResponseItem } from "../../protocol/generated/types.ts";

export function toMessageItem(text: string): ResponseItem {
  return {
    type: "message",
    role: "assistant",
    content: text === "" ? [] : [{ type: "output_text", text }],
  };
}
