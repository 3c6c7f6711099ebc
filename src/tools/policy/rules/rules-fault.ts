/** What is wrong with a rules file, and where. */
export interface RulesFault {
  readonly path: string;
  /** Counted from one; null when the file as a whole could not be read. */
  readonly line: number | null;
  readonly message: string;
}

/** Thrown while a rules file is read, and caught where its reading began. */
export class RulesError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.name = "RulesError";
    this.line = line;
  }
}

export function describeRulesFault({ path, line, message }: RulesFault): string {
  return line === null
    ? `${path}: ${message}`
    : `${path}:${line}: ${message} (problem is on or around line ${line})`;
}
