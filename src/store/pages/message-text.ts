/** The words of a message, as searches see them. */
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { noPaginatedHistory, stepHistory } from "../lines/history-step.ts";
import { parseLine } from "../lines/line.ts";
import { textOf } from "../lines/members.ts";
import { onOneLine } from "./snippet.ts";

/** The text of an item that people read, as it is shown; null for those that they do not. */
export function itemText(item: ThreadItem): string | null {
  return item.type === "agentMessage" ? withoutMarkup(item.text) : rawText(item);
}

function rawText(item: ThreadItem): string | null {
  if (item.type === "agentMessage") return item.text;
  if (item.type !== "userMessage") return null;
  return item.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The text of the message that a line tells, as it stands there; null when it tells none. */
export function lineText(text: string): string | null {
  const parsed = parseLine(text);
  if (parsed.kind !== "line" || parsed.line.type !== "event_msg") return null;
  const { line } = parsed;
  const type = textOf(line.payload, "type");
  if (type === "user_message" || type === "agent_message") return textOf(line.payload, "message");
  const { changes } = stepHistory(noPaginatedHistory, line);
  const [change] = changes;
  return change?.kind === "item" ? rawText(change.item) : null;
}

/** A longer message is searched as it stands. */
const MAX_MARKUP = 1024 * 1024;

/**
 * Markdown as it reads when it is shown. Each pattern looks ahead no further than a line or a few hundred characters:
 * a message that opens many brackets and closes none would else be read once for each of them.
 */
function withoutMarkup(markdown: string): string {
  if (markdown.length > MAX_MARKUP) return onOneLine(markdown);
  const plain = markdown
    .replaceAll(/^[^\S\n]*(?:```|~~~).*$/gm, " ")
    .replaceAll(/^[^\S\n]*(?:#{1,6}[^\S\n]+|>\s?|[-*+][^\S\n]+|\d{1,9}[.)][^\S\n]+)/gm, " ")
    .replaceAll(/!?\[([^[\]]{0,500})\]\([^()]{0,500}\)/g, "$1")
    .replaceAll(/(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1/g, "$2")
    .replaceAll(/(?<![\w*])\*(?=\S)([^*]{1,500}?)(?<=\S)\*(?![\w*])/g, "$1")
    .replaceAll(/(?<!\w)_(?=\S)([^_]{1,500}?)(?<=\S)_(?!\w)/g, "$1")
    .replaceAll("`", "");
  return onOneLine(plain);
}
