/**
 * Makes a history shorter that a provider has refused as too long, from its beginning, which matters least. How many
 * tokens it has is only guessed here: a token is four characters of English, and one of Chinese. So it is made shorter
 * until the provider takes it.
 */
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { toThreadItems } from "../items/thread-items.ts";
import { countTokens, cutTo, isSummary, textOf } from "./compacted-history.ts";

/** Of a long history so much is left out at once: one by one, a thousand items would be a thousand requests. */
const SHARE = 1 / 8;
/** A single message is cut to its half again and again, but not to fewer characters. */
const SHORTEST = 800;
/** What `cutTo` takes for a token. */
const CHARACTERS = 4;

/** The history with its oldest items left out, at least so many that it could fit the window; null when none is left. */
export function shorten(history: readonly ResponseItem[], contextWindow: number): ResponseItem[] | null {
  const [only] = history;
  if (only === undefined) return null;
  if (history.length === 1) return only.type === "message" ? halved([only], only) : [];
  const counts = history.map(countTokens);
  let total = counts.reduce((sum, count) => sum + count, 0);
  const atLeast = Math.max(1, Math.floor(history.length * SHARE));
  let first = 0;
  while (first < history.length - 1 && (first < atLeast || total > contextWindow)) {
    total -= counts[first] ?? 0;
    first += 1;
  }
  return withoutCallsOf(history.slice(0, first), history.slice(first));
}

/**
 * The history of a thread that was compacted and is still too long, with half of what can be spared left out: what was
 * said and done before the last message of the user, and then words of that message and of the summary. What the model
 * is told of its place and its rules stays. Null when nothing can be spared.
 */
export function shrink(history: readonly ResponseItem[]): ResponseItem[] | null {
  const last = [history.findLast(isUserMessage), history.findLast(isSummary)].filter(
    (item) => item !== undefined,
  );
  const spared = history.filter((item) => !isContext(item) && !last.includes(item));
  if (spared.length > 0) {
    const gone = spared.slice(0, Math.ceil(spared.length / 2));
    const rest = new Set<ResponseItem>(withoutCallsOf(gone, spared));
    const left = new Set(gone);
    return history.filter((item) => !left.has(item) && (rest.has(item) || !spared.includes(item)));
  }
  const [longest] = last.toSorted((one, other) => countTokens(other) - countTokens(one));
  return longest === undefined ? null : halved(history, longest);
}

/** With one message cut to half of its words, and without its pictures; null where it is as short as it may be. */
function halved(history: readonly ResponseItem[], item: ResponseItem): ResponseItem[] | null {
  if (item.type !== "message") return null;
  const { length } = textOf(item);
  const isText = item.content.every((part) => "text" in part);
  if (isText && length <= SHORTEST) return null;
  const shorter = cutTo(item, Math.ceil(Math.max(length / 2, SHORTEST / 2) / CHARACTERS));
  // The heading of a summary is not cut, and may be most of what is left.
  if (isText && textOf(shorter).length >= length) return null;
  return history.map((each) => (each === item ? shorter : each));
}

const NO_NAMES = { createId: () => "", planId: null, warn: () => {} };

/** Context that travels in the user's role is none. */
export function isUserMessage(item: ResponseItem): boolean {
  if (item.type !== "message" || item.role !== "user" || isSummary(item)) return false;
  return toThreadItems(item, NO_NAMES).some(({ type }) => type === "userMessage");
}

function isContext(item: ResponseItem): boolean {
  return item.type === "message" && item.role !== "assistant" && !isUserMessage(item) && !isSummary(item);
}

/** A call goes together with its output: a provider takes neither without the other. */
function withoutCallsOf(gone: readonly ResponseItem[], rest: readonly ResponseItem[]): ResponseItem[] {
  const calls = new Set(gone.flatMap((item) => callIdOf(item) ?? []));
  return rest.filter((item) => !calls.has(callIdOf(item) ?? ""));
}

function callIdOf(item: ResponseItem): string | null {
  return "call_id" in item ? (item.call_id ?? null) : null;
}
