/** A range of character offsets in a file. */
export interface SourceSpan {
  readonly from: number;
  readonly to: number;
}

/** Lines and columns, one-based; the end is exclusive. */
export interface RulesRange {
  readonly start: RulesPosition;
  readonly end: RulesPosition;
}

export interface RulesPosition {
  readonly line: number;
  readonly column: number;
}

/** An error in a rules file. */
export interface RulesFault {
  readonly path: string;
  /** Null if the whole file could not be read. */
  readonly range: RulesRange | null;
  readonly message: string;
}

/** Thrown while a rules file is parsed, and caught by `parseRules`. */
export class RulesError extends Error {
  readonly span: SourceSpan;

  constructor(message: string, span: SourceSpan) {
    super(message);
    this.name = "RulesError";
    this.span = span;
  }
}

export function describeRulesFault({ path, range, message }: RulesFault): string {
  if (range === null) return `failed to read rules file ${path}: ${message}`;
  const { line, column } = range.start;
  return `failed to parse rules file ${path}: Parse error: ${message} (line ${line}, column ${column})`;
}

export function rangeOf(source: string, { from, to }: SourceSpan): RulesRange {
  return { start: positionOf(source, from), end: positionOf(source, to) };
}

function positionOf(source: string, at: number): RulesPosition {
  const lines = source.slice(0, at).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
