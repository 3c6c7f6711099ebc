/** Text of hooks that is too long for the model: kept whole in a file, with a preview in its place. */
import { estimateTokens, type Truncation, truncateWithHeading } from "../base/truncate-text.ts";

/** In tokens; for contexts of a hook that says nothing else, and for what a hook tells the model otherwise. */
export const DEFAULT_HOOK_TEXT_LIMIT = 2500;

/** Keeps the text and says where; null where that could not be done. */
export type WriteSpilled = (text: string) => Promise<string | null>;

/** What the model is told in place of the text. A limit of 0 is none. */
export async function spillHookText(text: string, limit: number, write: WriteSpilled): Promise<string> {
  return isTooLong(text, limit) ? previewHookText(text, limit, await write(text)) : text;
}

function isTooLong(text: string, limit: number): boolean {
  return limit > 0 && estimateTokens(Buffer.byteLength(text)) > limit;
}

/** The beginning and the end, and where the rest is, within the limit; without a path the rest is lost. */
export function previewHookText(text: string, limit: number, path: string | null): string {
  const footer = path === null ? "" : `\n\nFull hook output saved to: ${path}`;
  const left = Math.max(0, limit - estimateTokens(Buffer.byteLength(footer)));
  const truncation: Truncation = { unit: "tokens", limit: left };
  return `${truncateWithHeading(text, truncation)}${footer}`;
}
