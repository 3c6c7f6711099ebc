/** Hook text that exceeds the model's limit is written to a file, and a preview replaces it. */
import { estimateTokens, type Truncation, truncateWithHeading } from "../base/truncate-text.ts";

/**
 * In tokens; the default for context of hooks without a limit of their own, and for all other hook text sent
 * to the model.
 */
export const DEFAULT_HOOK_TEXT_LIMIT = 2500;

/** Writes the text to a file and returns its path; null where the write failed. */
export type WriteSpilled = (text: string) => Promise<string | null>;

/** Returns the text sent to the model: the whole, or a preview. A limit of 0 disables truncation. */
export async function spillHookText(text: string, limit: number, write: WriteSpilled): Promise<string> {
  return isTooLong(text, limit) ? previewHookText(text, limit, await write(text)) : text;
}

function isTooLong(text: string, limit: number): boolean {
  return limit > 0 && estimateTokens(Buffer.byteLength(text)) > limit;
}

/**
 * The head and the tail of the text and the path of the full text, within the limit. Without a path, the
 * middle is lost.
 */
export function previewHookText(text: string, limit: number, path: string | null): string {
  const footer = path === null ? "" : `\n\nFull hook output saved to: ${path}`;
  const remaining = Math.max(0, limit - estimateTokens(Buffer.byteLength(footer)));
  const truncation: Truncation = { unit: "tokens", limit: remaining };
  return `${truncateWithHeading(text, truncation)}${footer}`;
}
