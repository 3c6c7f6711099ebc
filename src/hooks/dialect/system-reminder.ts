/** Context of a hook of Claude Code, in the form in which that harness tells it. */
import { DEFAULT_HOOK_TEXT_LIMIT, previewHookText, type WriteSpilled } from "../spill.ts";

/** In characters; what is longer is kept in a file. */
export const MAX_REMINDER_CHARACTERS = 10_000;

export async function toSystemReminder(text: string, write: WriteSpilled): Promise<string> {
  const isLong = text.length > MAX_REMINDER_CHARACTERS;
  const words = isLong ? previewHookText(text, DEFAULT_HOOK_TEXT_LIMIT, await write(text)) : text;
  // What a hook passes on may be anybody's words, which must not end where they like.
  return `<system-reminder>\n${words.replaceAll(/<(?=\/system-reminder)/giu, "&lt;")}\n</system-reminder>`;
}
