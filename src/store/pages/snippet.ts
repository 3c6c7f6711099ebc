/** Case-insensitive search in messages, and snippets around matches. */

import { textMember } from "../../base/json-members.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { readCompletedItem } from "../lines/history-step.ts";
import { parseLine } from "../lines/line.ts";

export interface MatchRange {
  /** In UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

export interface Snippet {
  readonly text: string;
  readonly match: MatchRange;
}

const BEFORE = 49;
const AFTER = 96;

export function foldCase(text: string): string {
  return text.toLowerCase();
}

/** The ranges of the term in the text, without overlaps. */
export function findAll(text: string, term: string, limit = Number.POSITIVE_INFINITY): MatchRange[] {
  const { folded, origins } = foldWithOrigins(text);
  const needle = foldCase(term);
  const found: MatchRange[] = [];
  if (needle === "") return found;
  for (let at = folded.indexOf(needle); at >= 0 && found.length < limit; ) {
    const end = at + needle.length;
    found.push({ start: origin(origins, at), end: origin(origins, end, text.length) });
    at = folded.indexOf(needle, end);
  }
  return found;
}

/** `origins` is null if folding preserves every index, which is nearly always the case. */
function foldWithOrigins(text: string): { folded: string; origins: number[] | null } {
  const folded = foldCase(text);
  if (folded.length === text.length) return { folded, origins: null };
  let longer = "";
  const origins: number[] = [];
  let at = 0;
  for (const character of text) {
    const lower = foldCase(character);
    for (let unit = 0; unit < lower.length; unit += 1) origins.push(at);
    longer += lower;
    at += character.length;
  }
  return { folded: longer, origins };
}

function origin(origins: readonly number[] | null, at: number, end = at): number {
  return origins === null ? at : (origins[at] ?? end);
}

export function snippetAround(text: string, { start, end }: MatchRange): Snippet {
  const from = stepBack(text, start, BEFORE);
  const to = stepForward(text, end, AFTER);
  const lead = from > 0 ? "... " : "";
  const tail = to < text.length ? " ..." : "";
  const offset = lead.length - from;
  return { text: lead + text.slice(from, to) + tail, match: { start: start + offset, end: end + offset } };
}

function stepBack(text: string, from: number, characters: number): number {
  let at = from;
  for (let count = 0; count < characters && at > 0; count += 1) {
    at -= at > 1 && isLow(text.charCodeAt(at - 1)) ? 2 : 1;
  }
  return at;
}

function stepForward(text: string, from: number, characters: number): number {
  let at = from;
  for (let count = 0; count < characters && at < text.length; count += 1) {
    at += isLow(text.charCodeAt(at + 1)) ? 2 : 1;
  }
  return Math.min(at, text.length);
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Collapses whitespace for one-line display in lists. */
export function collapseWhitespace(text: string): string {
  return text.split(/\s+/).filter(Boolean).join(" ");
}

/** The first match of a term in a text with its context; null if there is none. */
export function snippetIn(text: string, term: string): string | null {
  const line = collapseWhitespace(text);
  const [match] = findAll(line, term, 1);
  return match === undefined ? null : snippetAround(line, match).text;
}

/** The displayed text of a message item; null for other items. */
export function itemText(item: ThreadItem): string | null {
  return item.type === "agentMessage" ? stripMarkup(item.text) : rawText(item);
}

function rawText(item: ThreadItem): string | null {
  if (item.type === "agentMessage") return item.text;
  if (item.type !== "userMessage") return null;
  return item.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The raw text of the message in a line; null for other lines. */
export function lineText(text: string): string | null {
  const parsed = parseLine(text);
  if (parsed.kind !== "line" || parsed.line.type !== "event_msg") return null;
  const { line } = parsed;
  const type = textMember(line.payload, "type");
  if (type === "user_message" || type === "agent_message") return textMember(line.payload, "message");
  const completed = readCompletedItem(line);
  return completed === null ? null : rawText(completed.item);
}

/** Longer messages are searched with their markup. */
const MAX_MARKUP = 1024 * 1024;

/**
 * Strips Markdown to the displayed text. Each pattern looks ahead no further than a line or a few hundred characters: a
 * message with many unclosed brackets would otherwise be scanned once for each of them.
 */
function stripMarkup(markdown: string): string {
  if (markdown.length > MAX_MARKUP) return collapseWhitespace(markdown);
  const plain = markdown
    .replaceAll(/^[^\S\n]*(?:```|~~~).*$/gm, " ")
    .replaceAll(/^[^\S\n]*(?:#{1,6}[^\S\n]+|>\s?|[-*+][^\S\n]+|\d{1,9}[.)][^\S\n]+)/gm, " ")
    .replaceAll(/!?\[([^[\]]{0,500})\]\([^()]{0,500}\)/g, "$1")
    .replaceAll(/(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1/g, "$2")
    .replaceAll(/(?<![\w*])\*(?=\S)([^*]{1,500}?)(?<=\S)\*(?![\w*])/g, "$1")
    .replaceAll(/(?<!\w)_(?=\S)([^_]{1,500}?)(?<=\S)_(?!\w)/g, "$1")
    .replaceAll("`", "");
  return collapseWhitespace(plain);
}
