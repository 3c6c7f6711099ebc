/** Truncates the middle of a text to a budget in bytes, or in tokens of four bytes. */

export interface Truncation {
  readonly unit: "bytes" | "tokens";
  readonly limit: number;
}

const BYTES_PER_TOKEN = 4;

export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

export function byteBudget({ unit, limit }: Truncation): number {
  return unit === "bytes" ? limit : limit * BYTES_PER_TOKEN;
}

/** The budget minus a number of bytes, in the same unit. */
export function reduceBudget({ unit, limit }: Truncation, bytes: number): Truncation {
  return { unit, limit: Math.max(0, limit - (unit === "bytes" ? bytes : estimateTokens(bytes))) };
}

export function truncateMiddle(text: string, truncation: Truncation): string {
  const bytes = Buffer.from(text);
  const budget = byteBudget(truncation);
  if (bytes.length <= budget && (budget > 0 || bytes.length === 0)) return text;
  const left = Math.floor(budget / 2);
  const prefixEnd = boundaryBefore(bytes, left);
  const suffixStart = Math.max(prefixEnd, boundaryAfter(bytes, bytes.length - (budget - left)));
  const removed =
    truncation.unit === "tokens"
      ? `${estimateTokens(bytes.length - budget)} tokens`
      : `${countCharacters(bytes.subarray(prefixEnd, suffixStart))} chars`;
  return `${bytes.toString("utf8", 0, prefixEnd)}…${removed} truncated…${bytes.toString("utf8", suffixStart)}`;
}

/** Like `truncateMiddle`, with a heading that states the original size. */
export function truncateWithHeading(text: string, truncation: Truncation): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= byteBudget(truncation)) return text;
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return `${truncationWarning(estimateTokens(bytes))}\nTotal output lines: ${lines}\n\n${truncateMiddle(text, truncation)}`;
}

export function truncationWarning(tokens: number): string {
  return `Warning: truncated output (original token count: ${tokens})`;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function countCharacters(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (!isContinuation(byte)) count += 1;
  return count;
}

function boundaryBefore(bytes: Buffer, at: number): number {
  let boundary = at;
  while (boundary > 0 && isContinuation(bytes[boundary])) boundary -= 1;
  return boundary;
}

function boundaryAfter(bytes: Buffer, at: number): number {
  let boundary = at;
  while (isContinuation(bytes[boundary])) boundary += 1;
  return boundary;
}
