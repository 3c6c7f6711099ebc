import type { ResponseItem } from "../../protocol/generated/types.ts";

/** User messages are retained verbatim up to this many tokens, and up to this share of the context window. */
const RETAINED_TOKENS = 20_000;
const RETAINED_SHARE = 1 / 4;

/** Asks a model for a summary from which another model can continue. */
export const COMPACT_PROMPT = `The conversation is about to be replaced by a summary. Write it for the model that will carry on with the task and will see nothing else of what was said.

Say, briefly and in this order:
- what the user wants, with their constraints and preferences
- what was done and decided so far, and why
- what is left to do, the next step first
- names, paths, values and error messages that will be needed

Write only the summary.`;

/** Precedes every summary, so that the next model knows who wrote it. */
const SUMMARY_HEADING =
  "The conversation up to here was replaced by the summary below, which a model wrote while it was working on this task. The files and tools are as it left them: build on its work, and do not repeat it.";

export interface CompactionParts {
  /** User messages, oldest first. */
  readonly userMessages: readonly ResponseItem[];
  /** Context messages, which have to be sent again. */
  readonly context: readonly ResponseItem[];
  readonly summary: string;
  readonly messageId: string;
  /** The model's context window in tokens. */
  readonly contextWindow: number;
}

/** Builds the replacement history: recent user messages, the context, and the summary as the last message. */
export function compactedHistory({
  userMessages,
  context,
  summary,
  messageId,
  contextWindow,
}: CompactionParts): ResponseItem[] {
  const limit = Math.min(RETAINED_TOKENS, Math.floor(contextWindow * RETAINED_SHARE));
  const retained = newestWithin(
    userMessages.filter((message) => !isSummary(message)),
    limit,
  );
  return [...retained.slice(0, -1), ...context, ...retained.slice(-1), toSummaryMessage(summary, messageId)];
}

/** Whether a user-role message holds the summary of an earlier compaction. */
export function isSummary(item: ResponseItem): boolean {
  return messageTextOf(item).startsWith(SUMMARY_HEADING);
}

function toSummaryMessage(summary: string, id: string): ResponseItem {
  const text = `${SUMMARY_HEADING}\n${summary}`;
  return { type: "message", id, role: "user", content: [{ type: "input_text", text }] };
}

/** The newest messages that fit the limit; the oldest of them is truncated where it does not fit whole. */
function newestWithin(messages: readonly ResponseItem[], tokens: number): ResponseItem[] {
  const retained: ResponseItem[] = [];
  let remaining = tokens;
  for (const message of messages.toReversed()) {
    if (remaining <= 0) break;
    const one = countTokens(message) <= remaining ? message : truncateMessage(message, remaining);
    retained.unshift(one);
    remaining -= countTokens(one);
  }
  return retained;
}

/** Reduces a message to its text, and a long text to its head and tail. A summary retains its heading. */
export function truncateMessage(message: ResponseItem, tokens: number): ResponseItem {
  if (message.type !== "message") return message;
  const text = messageTextOf(message);
  const heading = isSummary(message) ? `${SUMMARY_HEADING}\n` : "";
  const body = text.slice(heading.length);
  const half = tokens * 2;
  const truncated = body.length <= 2 * half ? body : `${headOf(body, half)}\n[...]\n${tailOf(body, half)}`;
  return { ...message, content: [{ type: "input_text", text: heading + truncated }] };
}

/** Drops half of a surrogate pair, because providers reject lone surrogates. */
function headOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

function tailOf(text: string, length: number): string {
  return text.slice(-length).replace(/^[\udc00-\udfff]/, "");
}

/** The text of a message; empty for any other item. */
export function messageTextOf(item: ResponseItem): string {
  if (item.type !== "message") return "";
  return item.content.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
}

/** Estimates four characters per token; an exact count would need the model's own tokenizer. */
export function countTokens(item: ResponseItem): number {
  return Math.ceil(JSON.stringify(item).length / 4);
}
