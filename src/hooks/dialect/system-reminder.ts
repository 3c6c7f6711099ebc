/** Formats context of a Claude Code hook as that harness does. */
import { DEFAULT_HOOK_TEXT_LIMIT, previewHookText, type WriteSpilled } from "../spill.ts";

/** In characters; longer text is spilled to a file. */
export const MAX_REMINDER_CHARACTERS = 10_000;

export async function toSystemReminder(text: string, write: WriteSpilled): Promise<string> {
  const isLong = text.length > MAX_REMINDER_CHARACTERS;
  const shown = isLong ? previewHookText(text, DEFAULT_HOOK_TEXT_LIMIT, await write(text)) : text;
  // Hook output may contain untrusted text, which must not close the tag.
  return `<system-reminder>\n${shown.replaceAll(/<(?=\/system-reminder)/giu, "&lt;")}\n</system-reminder>`;
}
