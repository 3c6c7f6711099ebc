/**
 * Thoughts that only the Messages API can read again. It signs each of them and wants them back unchanged, so that the
 * history keeps the signature where the Responses API keeps what it has encrypted, marked as of another make: a
 * provider that is handed the seal of another one refuses the whole request.
 */
import type { ResponseItem } from "../../protocol/generated/types.ts";

export type Thinking =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string };

const SIGNATURE = "messages-signature:";
const REDACTED = "messages-redacted:";
/** Signatures have a few thousand characters. What is longer is shown and not sent back. */
export const MAX_SEAL_LENGTH = 256 * 1024;

/** A thought as an item of the history. */
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

/** The thought as it was sent; null for reasoning that no signature came with, or of another make. */
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
