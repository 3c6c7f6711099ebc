/**
 * A cursor over a pattern; after the first fault it jumps to the end, so that every loop over it terminates.
 */
export interface PatternReader {
  /** In characters. */
  readonly at: number;
  /** The next character; null at the end. */
  peek(): string | null;
  take(): string;
  /** Consumes a match of the sticky expression at the cursor; null without a match. */
  skip(expression: RegExp): string | null;
  fail(reason: string, start: number, length: number): void;
  /** In the peer's wording and format; null without a fault. */
  fault(): string | null;
}

export function createPatternReader(pattern: string): PatternReader {
  let at = 0;
  let fault: string | null = null;
  return {
    get at() {
      return at;
    },
    peek: () => (at < pattern.length ? String.fromCodePoint(pattern.codePointAt(at) ?? 0) : null),
    take() {
      if (at >= pattern.length) return "";
      const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
      at += character.length;
      return character;
    },
    skip(expression) {
      expression.lastIndex = at;
      const found = expression.exec(pattern)?.[0] ?? null;
      at += found?.length ?? 0;
      return found;
    },
    fail(reason, start, length) {
      fault ??= formatFault(pattern, reason, start, length);
      at = pattern.length;
    },
    fault: () => fault,
  };
}

function formatFault(pattern: string, reason: string, start: number, length: number): string {
  const lines = /[\r\n]/u.test(pattern)
    ? []
    : [`    ${pattern}`, `    ${" ".repeat(start)}${"^".repeat(Math.max(1, length))}`];
  return ["regex parse error:", ...lines, `error: ${reason}`].join("\n");
}
