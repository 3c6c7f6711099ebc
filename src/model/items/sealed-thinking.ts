/**
 * Thinking blocks of the Messages API, which signs them and requires them back unchanged. The history stores the
 * signature in the field for the Responses API's encrypted content, with a prefix, because a provider that receives the
 * sealed content of another one rejects the whole request.
 */
import type { ResponseItem } from "../../protocol/generated/types.ts";

export type Thinking =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string };

const SIGNATURE = "messages-signature:";
const REDACTED = "messages-redacted:";
/** Signatures have a few thousand characters. Thinking with a longer one is displayed but not sent back. */
export const MAX_SEAL_LENGTH = 256 * 1024;

/** Converts a thinking block to a history item. */
export function sealThinking(block: Thinking): ResponseItem {
  if (block.type === "redacted_thinking") return reasoning("", REDACTED, block.data);
  return reasoning(block.thinking, SIGNATURE, block.signature);
}

function reasoning(text: string, mark: string, seal: string): ResponseItem {
  const isKept = seal !== "" && seal.length <= MAX_SEAL_LENGTH;
  return {
    type: "reasoning",
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    ...(isKept ? { encrypted_content: `${mark}${seal}` } : {}),
  };
}

/** The original thinking block; null for reasoning without a signature or from another wire format. */
export function unsealThinking(item: Extract<ResponseItem, { type: "reasoning" }>): Thinking | null {
  const { encrypted_content: sealed, summary } = item;
  if (typeof sealed !== "string") return null;
  if (sealed.startsWith(REDACTED)) return { type: "redacted_thinking", data: sealed.slice(REDACTED.length) };
  if (!sealed.startsWith(SIGNATURE)) return null;
  const thinking = summary.map(({ text }) => text).join("");
  return { type: "thinking", thinking, signature: sealed.slice(SIGNATURE.length) };
}

export function isSealed(item: ResponseItem): boolean {
  return item.type === "reasoning" && unsealThinking(item) !== null;
}
