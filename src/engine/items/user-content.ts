/** Converts the content of a user message in the history back to user input. */
import type { ImageDetail, UserInput } from "../../protocol/generated/types.ts";
import { textOf } from "./memory-citation.ts";

type Part = Readonly<Record<string, unknown>>;

const LABELS = [
  { media: "input_image", open: /^<image(?: name=[\s\S]*)?>$/, close: "</image>" },
  { media: "input_audio", open: /^<audio(?: name=[\s\S]*)?>$/, close: "</audio>" },
] as const;
const DETAILS: readonly unknown[] = ["auto", "low", "high", "original"] satisfies ImageDetail[];

/** Omits the tags that label images and audio for the model. */
export function toUserContent(parts: readonly Part[]): UserInput[] {
  return parts.flatMap((part, index) => (isLabel(parts, index) ? [] : toInput(part)));
}

function isLabel(parts: readonly Part[], index: number): boolean {
  const part = parts[index];
  const text = part?.["type"] === "input_text" ? textOf(part["text"]) : null;
  if (text === null) return false;
  return LABELS.some(
    ({ media, open, close }) =>
      (open.test(text) && parts[index + 1]?.["type"] === media) ||
      (text === close && parts[index - 1]?.["type"] === media),
  );
}

function toInput(part: Part): UserInput[] {
  const text = textOf(part["text"]);
  const audio = textOf(part["audio_url"]);
  switch (part["type"]) {
    case "input_text":
      return text === null ? [] : [{ type: "text", text, text_elements: [] }];
    case "input_image":
      return toImage(part);
    case "input_audio":
      return audio === null ? [] : [{ type: "audio", url: audio }];
    default:
      return [];
  }
}

function toImage(part: Part): UserInput[] {
  const detail = DETAILS.includes(part["detail"]) ? (part["detail"] as ImageDetail) : null;
  const url = textOf(part["image_url"]);
  if (url !== null) return [{ type: "image", url, detail }];
  const fileId = textOf(part["file_id"]);
  return fileId === null ? [] : [{ type: "image", fileId, detail }];
}

/** Prefixes and suffixes of context texts; compared without regard to case. */
const MARKED: readonly (readonly [string, string])[] = [
  ["# AGENTS.md instructions", "</INSTRUCTIONS>"],
  ["<environment_context>", "</environment_context>"],
  ["<skill>", "</skill>"],
  ["<user_shell_command>", "</user_shell_command>"],
  ["<turn_aborted>", "</turn_aborted>"],
  ["<subagent_notification>", "</subagent_notification>"],
  ["<recommended_plugins>", "</recommended_plugins>"],
];

/** Old servers wrote the last three, which are still in stored histories. */
const PATTERNS: readonly RegExp[] = [
  /^<external_([^>]*)>[\s\S]*<\/external_\1>$/,
  /^<codex_internal_context source="[a-z][a-z0-9_]*">[\s\S]*<\/codex_internal_context>$/,
  /^<goal_context>[\s\S]*<\/goal_context>$/,
  /^Warning: The maximum number of unified exec processes you can keep open is/,
  /^Warning: apply_patch was requested via [\s\S]*Use the apply_patch tool instead of exec_command\.$/,
  /^Warning: Your account was flagged for potentially high-risk cyber activity/,
];

/** Whether a user-role text was added by the server; clients do not receive such texts. */
export function isContextText(text: string): boolean {
  const trimmed = text.trim();
  return (
    MARKED.some(([start, end]) => isWrapped(trimmed, start, end)) ||
    PATTERNS.some((pattern) => pattern.test(trimmed))
  );
}

function isWrapped(text: string, start: string, end: string): boolean {
  return (
    text.slice(0, start.length).toLowerCase() === start.toLowerCase() &&
    text.slice(-end.length).toLowerCase() === end.toLowerCase()
  );
}
