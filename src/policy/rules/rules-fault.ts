/** A part of a file's text, by the numbers of its characters. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Lines and columns, counted from one; the end is behind the last character. */
export interface TextRange {
  readonly start: TextPlace;
  readonly end: TextPlace;
}

export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** What is wrong with a rules file, and where. */
export interface RulesFault {
  readonly path: string;
  /** Null when the file as a whole could not be read. */
  readonly range: TextRange | null;
  readonly message: string;
}

/** Thrown while a rules file is read, and caught where its reading began. */
export class RulesError extends Error {
  readonly span: Span;

  constructor(message: string, span: Span) {
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

export function rangeOf(source: string, { from, to }: Span): TextRange {
  return { start: placeOf(source, from), end: placeOf(source, to) };
}

function placeOf(source: string, at: number): TextPlace {
  const lines = source.slice(0, at).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
