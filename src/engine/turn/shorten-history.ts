/**
 * Shortens a history that a provider has rejected as too long, oldest items first, because they matter least. The token
 * count is only an estimate: a token is four characters of English, and one of Chinese. So the history is shortened
 * until the provider accepts it.
 */
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { toThreadItems } from "../items/thread-items.ts";
import { countTokens, isSummary, messageTextOf, truncateMessage } from "./compacted-history.ts";

/** The share of items dropped at once: one by one, a thousand items would be a thousand requests. */
const DROPPED_SHARE = 1 / 8;
/** A single message is halved repeatedly, but not below this many characters. */
const MIN_MESSAGE_CHARACTERS = 800;
/** The estimate that `truncateMessage` uses. */
const CHARACTERS_PER_TOKEN = 4;

/** Drops the oldest items, at least as many as it takes to fit the window by the estimate; null when none remains. */
export function dropOldest(history: readonly ResponseItem[], contextWindow: number): ResponseItem[] | null {
  const [only] = history;
  if (only === undefined) return null;
  if (history.length === 1) return only.type === "message" ? halved([only], only) : [];
  const counts = history.map(countTokens);
  let total = counts.reduce((sum, count) => sum + count, 0);
  const atLeast = Math.max(1, Math.floor(history.length * DROPPED_SHARE));
  let first = 0;
  while (first < history.length - 1 && (first < atLeast || total > contextWindow)) {
    total -= counts[first] ?? 0;
    first += 1;
  }
  return withoutCallsOf(history.slice(0, first), history.slice(first));
}

/**
 * Shortens a compacted history that still overflows: drops half of the items other than the last user message and the
 * summary, and once none remain, halves the text of the longer of those two. Context messages stay. Null when nothing
 * more can be dropped.
 */
export function shrinkCompacted(history: readonly ResponseItem[]): ResponseItem[] | null {
  const essential = [history.findLast(isUserMessage), history.findLast(isSummary)].filter(
    (item) => item !== undefined,
  );
  const droppable = history.filter((item) => !isContext(item) && !essential.includes(item));
  if (droppable.length > 0) {
    const dropped = droppable.slice(0, Math.ceil(droppable.length / 2));
    const remaining = new Set<ResponseItem>(withoutCallsOf(dropped, droppable));
    const droppedSet = new Set(dropped);
    return history.filter(
      (item) => !droppedSet.has(item) && (remaining.has(item) || !droppable.includes(item)),
    );
  }
  const [longest] = essential.toSorted((one, other) => countTokens(other) - countTokens(one));
  return longest === undefined ? null : halved(history, longest);
}

/** Halves the text of one message and drops its images; null where the message is already at its minimum. */
function halved(history: readonly ResponseItem[], item: ResponseItem): ResponseItem[] | null {
  if (item.type !== "message") return null;
  const { length } = messageTextOf(item);
  const isText = item.content.every((part) => "text" in part);
  if (isText && length <= MIN_MESSAGE_CHARACTERS) return null;
  const characters = Math.max(length / 2, MIN_MESSAGE_CHARACTERS / 2);
  const shorter = truncateMessage(item, Math.ceil(characters / CHARACTERS_PER_TOKEN));
  // The heading of a summary is never truncated, and may be most of the remaining text.
  if (isText && messageTextOf(shorter).length >= length) return null;
  return history.map((each) => (each === item ? shorter : each));
}

const ITEM_OPTIONS = { createId: () => "", planId: null, warn: () => {} };

/** Excludes context messages and summaries, which also have the user role. */
export function isUserMessage(item: ResponseItem): boolean {
  if (item.type !== "message" || item.role !== "user" || isSummary(item)) return false;
  return toThreadItems(item, ITEM_OPTIONS).some(({ type }) => type === "userMessage");
}

function isContext(item: ResponseItem): boolean {
  return item.type === "message" && item.role !== "assistant" && !isUserMessage(item) && !isSummary(item);
}

/** A call is dropped together with its output, because providers reject one without the other. */
function withoutCallsOf(dropped: readonly ResponseItem[], rest: readonly ResponseItem[]): ResponseItem[] {
  const calls = new Set(dropped.flatMap((item) => callIdOf(item) ?? []));
  return rest.filter((item) => !calls.has(callIdOf(item) ?? ""));
}

function callIdOf(item: ResponseItem): string | null {
  return "call_id" in item ? (item.call_id ?? null) : null;
}
