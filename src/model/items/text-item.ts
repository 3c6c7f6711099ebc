/** What a model says as an item of the Responses API, for wires that stream text and have no items. */
import type { ResponseItem } from "../../protocol/generated/types.ts";

export function toMessageItem(text: string): ResponseItem {
  return {
    type: "message",
    role: "assistant",
    content: text === "" ? [] : [{ type: "output_text", text }],
  };
}
