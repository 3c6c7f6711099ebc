import type { UserInput } from "../../protocol/generated/types.ts";
import { Refused, refuse } from "../configuration/refusal.ts";

const MAX_INPUT_CHARS = 1_048_576;

/** Refuses what a user's message may not be, before anything of it is kept. */
export function checkInput(input: readonly UserInput[]): void {
  const remote = input.some((part) => part.type === "image" && "url" in part && /^https?:/i.test(part.url));
  if (remote) throw refuse("remote image URLs are not supported; use an inline data URL instead");
  const texts = input.flatMap((part) => (part.type === "text" ? [part.text] : []));
  // Characters as people count them are never more than UTF-16 units, so most inputs need no exact count.
  if (texts.reduce((sum, text) => sum + text.length, 0) <= MAX_INPUT_CHARS) return;
  const chars = texts.reduce((sum, text) => sum + countChars(text), 0);
  if (chars <= MAX_INPUT_CHARS) return;
  throw new Refused("invalidParams", `Input exceeds the maximum length of ${MAX_INPUT_CHARS} characters.`, {
    input_error_code: "input_too_large",
    max_chars: MAX_INPUT_CHARS,
    actual_chars: chars,
  });
}

/** Code points, which is what the peer counts. */
function countChars(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
