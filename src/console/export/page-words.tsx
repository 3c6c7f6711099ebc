/** Times and amounts of a page that is read later and elsewhere: without the reader's clock and time zone. */
import type { TokenUsageBreakdown } from "../../protocol/generated/types.ts";

export function Time({ seconds }: { seconds: number }) {
  const iso = new Date(Math.trunc(seconds) * 1000).toISOString();
  return <time datetime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}</time>;
}

const count = (value: number): string => value.toLocaleString("en-US");

export const tokensText = ({ totalTokens, inputTokens, outputTokens }: TokenUsageBreakdown): string =>
  `${count(totalTokens)} tokens (${count(inputTokens)} in, ${count(outputTokens)} out)`;

/** Longer texts are cut: a page has to stay readable. */
const MAX_TEXT = 1_000_000;

export interface CutText {
  readonly text: string;
  /** What is said about the rest; null where there is none. */
  readonly rest: string | null;
}

export function cutText(text: string, limit: number = MAX_TEXT): CutText {
  if (text.length <= limit) return { text, rest: null };
  const rest = `${count(text.length - limit)} of ${count(text.length)} characters are not in this file`;
  return { text: text.slice(0, limit), rest };
}

const MAX_LINES = 2000;
const MAX_LINE = 2000;

/** The last lines of an output: the end says how it went. */
export function cutLines(text: string): CutText {
  const lines = text.replace(/\n$/u, "").split("\n");
  const shown = lines
    .slice(-MAX_LINES)
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line))
    .join("\n");
  const hidden = lines.length - MAX_LINES;
  const rest =
    hidden > 0 ? `${count(hidden)} earlier of ${count(lines.length)} lines are not in this file` : null;
  return { text: shown, rest };
}
