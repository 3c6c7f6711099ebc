import type { ResponseItem } from "../../protocol/generated/types.ts";

/** How much of what users have said outlives a compaction as it is, at most, and as a share of the window. */
const KEPT_TOKENS = 20_000;
const KEPT_SHARE = 1 / 4;

/** Asks a model for a summary that another one can go on from. */
export const COMPACT_PROMPT = `The conversation is about to be replaced by a summary. Write it for the model that will carry on with the task and will see nothing else of what was said.

Say, briefly and in this order:
- what the user wants, with their constraints and preferences
- what was done and decided so far, and why
- what is left to do, the next step first
- names, paths, values and error messages that will be needed

Write only the summary.`;

/** Stands before every summary, so that the next model knows whose text it is. */
const SUMMARY_HEADING =
  "The conversation up to here was replaced by the summary below, which a model wrote while it was working on this task. The files and tools are as it left them: build on its work, and do not repeat it.";

export interface CompactionParts {
  /** What users have said, oldest first. */
  readonly userMessages: readonly ResponseItem[];
  /** What the model must be told anew. */
  readonly context: readonly ResponseItem[];
  readonly summary: string;
  readonly messageId: string;
  /** Tokens of the model's window. */
  readonly contextWindow: number;
}

/** The short history that replaces a long one: recent messages of the user, the context, and the summary as the last one. */
export function compactedHistory({
  userMessages,
  context,
  summary,
  messageId,
  contextWindow,
}: CompactionParts): ResponseItem[] {
  const room = Math.min(KEPT_TOKENS, Math.floor(contextWindow * KEPT_SHARE));
  const kept = newest(
    userMessages.filter((message) => !isSummary(message)),
    room,
  );
  return [...kept.slice(0, -1), ...context, ...kept.slice(-1), toSummaryMessage(summary, messageId)];
}

/** Whether a message of a user's role holds the summary of an earlier compaction. */
export function isSummary(item: ResponseItem): boolean {
  return textOf(item).startsWith(SUMMARY_HEADING);
}

function toSummaryMessage(summary: string, id: string): ResponseItem {
  const text = `${SUMMARY_HEADING}\n${summary}`;
  return { type: "message", id, role: "user", content: [{ type: "input_text", text }] };
}

/** The last messages that fit; the first of them is cut where it does not fit whole. */
function newest(messages: readonly ResponseItem[], tokens: number): ResponseItem[] {
  const kept: ResponseItem[] = [];
  let room = tokens;
  for (const message of messages.toReversed()) {
    if (room <= 0) break;
    const one = countTokens(message) <= room ? message : cutTo(message, room);
    kept.unshift(one);
    room -= countTokens(one);
  }
  return kept;
}

/** Its text alone, and of too much of it the beginning and the end. A summary stays known as one. */
export function cutTo(message: ResponseItem, tokens: number): ResponseItem {
  if (message.type !== "message") return message;
  const text = textOf(message);
  const lead = isSummary(message) ? `${SUMMARY_HEADING}\n` : "";
  const rest = text.slice(lead.length);
  const half = tokens * 2;
  const cut = rest.length <= 2 * half ? rest : `${startOf(rest, half)}\n[...]\n${endOf(rest, half)}`;
  return { ...message, content: [{ type: "input_text", text: lead + cut }] };
}

/** Half a character is none that a provider would take. */
function startOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

function endOf(text: string, length: number): string {
  return text.slice(-length).replace(/^[\udc00-\udfff]/, "");
}

/** The words of a message; none of any other item. */
export function textOf(item: ResponseItem): string {
  if (item.type !== "message") return "";
  return item.content.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
}

/** Four characters are about a token; an exact count would need the model's own tables. */
export function countTokens(item: ResponseItem): number {
  return Math.ceil(JSON.stringify(item).length / 4);
}
