/** Makes a history shorter that a provider has refused as too long, from its beginning, which matters least. */
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { countTokens, cutTo, textOf } from "./compacted-history.ts";

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
  if (history.length === 1) return halve(only);
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

/** A message with half of its words, and without its pictures; null where it has become as short as it may. */
function halve(item: ResponseItem): ResponseItem[] | null {
  if (item.type !== "message") return null;
  const { length } = textOf(item);
  const isText = item.content.every((part) => "text" in part);
  if (isText && length <= SHORTEST) return null;
  return [cutTo(item, Math.ceil(Math.max(length / 2, SHORTEST / 2) / CHARACTERS))];
}

/** A call goes together with its output: a provider takes neither without the other. */
function withoutCallsOf(gone: readonly ResponseItem[], rest: readonly ResponseItem[]): ResponseItem[] {
  const calls = new Set(gone.flatMap((item) => callIdOf(item) ?? []));
  return rest.filter((item) => !calls.has(callIdOf(item) ?? ""));
}

function callIdOf(item: ResponseItem): string | null {
  return "call_id" in item ? (item.call_id ?? null) : null;
}
