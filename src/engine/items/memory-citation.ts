/**
 * Memory citations: the model names its sources in tags within its text, which clients receive as a separate member.
 */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { MemoryCitation, MemoryCitationEntry } from "../../protocol/generated/types.ts";
import { createHiddenTags, type HiddenTags } from "./message-tags.ts";

export function createCitationTags(): HiddenTags {
  return createHiddenTags("<oai-mem-citation>", "</oai-mem-citation>");
}

/** Splits a complete text into its visible part and the contents of its citation tags. */
export function splitCitations(text: string): {
  readonly text: string;
  readonly citations: readonly string[];
} {
  const tags = createCitationTags();
  return { text: tags.push(text) + tags.finish(), citations: tags.found };
}

/** Null when the citations contain no entry and no thread id. */
export function parseMemoryCitation(citations: readonly string[]): MemoryCitation | null {
  const entries = citations.flatMap((citation) =>
    linesOf(blockOf(citation, "citation_entries")).flatMap((line) => parseEntry(line) ?? []),
  );
  const threadIds = citations.flatMap((citation) =>
    linesOf(blockOf(citation, "rollout_ids") ?? blockOf(citation, "thread_ids")),
  );
  if (entries.length === 0 && threadIds.length === 0) return null;
  return { entries, threadIds: [...new Set(threadIds)] };
}

function blockOf(text: string, tag: string): string | null {
  const start = text.indexOf(`<${tag}>`);
  if (start === -1) return null;
  const from = start + tag.length + 2;
  const end = text.indexOf(`</${tag}>`, from);
  return end === -1 ? null : text.slice(from, end);
}

function linesOf(block: string | null): string[] {
  return (block ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

const ENTRY = /^(.*):([^:-]*)-([^:]*)\|note=\[(.*)\]$/;

/** Parses `path:first-last|note=[words]`; null for any other line. */
function parseEntry(line: string): MemoryCitationEntry | null {
  const [, path, first, last, note] = ENTRY.exec(line) ?? [];
  const lineStart = lineNumber(first);
  const lineEnd = lineNumber(last);
  if (path === undefined || note === undefined || lineStart === null || lineEnd === null) return null;
  return { path: path.trim(), lineStart, lineEnd, note: note.trim() };
}

function lineNumber(text: string | undefined): number | null {
  const number = /^\+?\d+$/.test(text?.trim() ?? "") ? Number(text) : Number.NaN;
  return number <= 0xff_ff_ff_ff ? number : null;
}

/** Narrows unchecked JSON, from providers and from files of other versions, to a string. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The objects in an unchecked list; empty for any other value. */
export function recordsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
