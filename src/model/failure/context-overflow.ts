/**
 * How providers say that a request is longer than the model's context window. There is no common code for it: some
 * have a code or a type, most have only words, and many of these name the window.
 */
import { contextWindowOf } from "../provider-input.ts";
import type { ProviderError } from "./provider-error.ts";

export interface Overflow {
  /** Tokens of the window, where the provider names them. */
  readonly window: number | null;
}

const CODES: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "request_too_large",
  "tokens_limit_reached",
]);

/** With a group where the window is named. */
const WORDS: readonly RegExp[] = [
  /maximum (?:context|prompt) length is ([\d,]+)/i,
  /prompt is too long(?:: [\d,]+ tokens > ([\d,]+))?/i,
  /exceed context limit: [\d,]+ \+ [\d,]+ > ([\d,]+)/i,
  /exceeds the maximum number of tokens allowed \(?([\d,]+)?/i,
  /too large for model with ([\d,]+) maximum context length/i,
  /longer than the maximum model length of ([\d,]+)/i,
  /longer than the model's context length \(?([\d,]+)?/i,
  /exceeds the available context size(?: \(([\d,]+) tokens\))?/i,
  /context length of only ([\d,]+) tokens/i,
  /exceeds the (?:maximum )?context (?:length|window)/i,
  /exceeded (?:the )?max(?:imum)? context length/i,
  /greater than the context length/i,
  /input is too long for (?:the )?requested model/i,
  /max size: ([\d,]+) tokens/i,
];

/** Statuses under which such words are believed; a limit of tokens in a minute comes with another. */
const STATUSES: readonly number[] = [400, 413, 422, 500];
const TOO_LARGE = 413;

/** `status` is null for what came inside a stream. */
export function findOverflow(status: number | null, error: ProviderError | null): Overflow | null {
  if (status !== null && !STATUSES.includes(status)) return null;
  const { code, type, message, window } = error ?? { code: null, type: null, message: null, window: null };
  const found = WORDS.map((words) => words.exec(message ?? "")).find((match) => match !== null);
  const isNamed = CODES.has(code ?? "") || CODES.has(type ?? "") || status === TOO_LARGE;
  if (found === undefined && !isNamed) return null;
  const named = found?.[1]?.replaceAll(",", "");
  return { window: contextWindowOf(named === undefined ? window : Number(named)) };
}
