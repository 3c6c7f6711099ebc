/**
 * Detects errors for requests that exceed the model's context window. Providers have no common code for it: some send a
 * code or a type, most only a message, and many messages name the window.
 */
import { contextWindowOf } from "../provider-input.ts";
import type { ProviderError } from "./provider-error.ts";

export interface Overflow {
  /** The window in tokens, if the provider names it. */
  readonly window: number | null;
}

const CODES: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "request_too_large",
  "tokens_limit_reached",
]);

/** The group captures the window, if it is named. */
const MESSAGE_PATTERNS: readonly RegExp[] = [
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

/** The messages count only with these statuses; a tokens-per-minute limit has a different one. */
const STATUSES: readonly number[] = [400, 413, 422, 500];
const TOO_LARGE = 413;

/** `status` is null for an error inside a stream. */
export function findOverflow(status: number | null, error: ProviderError | null): Overflow | null {
  if (status !== null && !STATUSES.includes(status)) return null;
  const { code, type, message, window } = error ?? { code: null, type: null, message: null, window: null };
  const found = MESSAGE_PATTERNS.map((pattern) => pattern.exec(message ?? "")).find(
    (match) => match !== null,
  );
  const isNamed = CODES.has(code ?? "") || CODES.has(type ?? "") || status === TOO_LARGE;
  if (found === undefined && !isNamed) return null;
  const named = found?.[1]?.replaceAll(",", "");
  return { window: contextWindowOf(named === undefined ? window : Number(named)) };
}
