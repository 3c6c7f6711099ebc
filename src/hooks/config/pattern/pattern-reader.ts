/** A place in a pattern that moves on; after the first fault it stands at the end, so that every loop over it ends. */
export interface PatternReader {
  /** In characters. */
  readonly at: number;
  /** The next character; null at the end. */
  peek(): string | null;
  take(): string;
  /** Takes what the expression, which is sticky, matches here; null where it does not match. */
  skip(expression: RegExp): string | null;
  fail(reason: string, start: number, length: number): void;
  /** In the words and the form of the peer; null where there is none. */
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
      fault ??= describeFault(pattern, reason, start, length);
      at = pattern.length;
    },
    fault: () => fault,
  };
}

function describeFault(pattern: string, reason: string, start: number, length: number): string {
  const lines = /[\r\n]/u.test(pattern)
    ? []
    : [`    ${pattern}`, `    ${" ".repeat(start)}${"^".repeat(Math.max(1, length))}`];
  return ["regex parse error:", ...lines, `error: ${reason}`].join("\n");
}
