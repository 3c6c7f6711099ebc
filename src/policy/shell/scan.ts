/** What the parts of the script scanner share: what it finds, a place in a text, and how much of it may be read. */

export interface ScannedCommand {
  /** The program and its arguments, where `$_` stands for what only the shell knows. */
  readonly words: readonly string[];
  /** What it reads from its standard input, where the script says so. */
  readonly input: string | null;
}

export interface ScannedScript {
  readonly commands: readonly ScannedCommand[];
  /** Whether nothing but words, quotes, redirections, operators and groups is in it. */
  readonly isSimple: boolean;
  /** Words, operators, quotes and expansions. */
  readonly tokens: number;
}

/** A command while it is being read. */
export interface Draft {
  readonly words: string[];
  /** What the text hands to its standard input. */
  input: string | null;
  /** The command whose output it reads through a pipe. */
  readonly source: Draft | null;
}

export interface Heredoc {
  readonly owner: Draft;
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
}

export interface Findings {
  readonly commands: Draft[];
  /** Here-documents whose bodies begin on the next line. */
  readonly heredocs: Heredoc[];
  depth: number;
  /** Whether it consists of words, quotes, redirections, operators and groups alone. */
  isSimple: boolean;
  /** Words, operators, quotes and expansions, and how many of them may be read. */
  tokens: number;
  readonly maxTokens: number;
  /** Characters that may still be looked at ahead of their turn. */
  lookahead: number;
  /** Whether it is too long or nested too deeply to be read to its end. */
  isLost: boolean;
  /** Reads commands up to the closing mark, or to the end of the text. */
  readonly readList: (scan: Scan, closer: ")" | null) => void;
}

export interface Scan {
  readonly text: string;
  at: number;
  readonly findings: Findings;
}

/** Stands for what only the shell knows: the value of a variable, the output of a command. */
export const EXPANSION = "$_";

export const MAX_LOOKAHEAD = 131_072;
const MAX_DEPTH = 100;

/** Reads something that can hold others of its kind. Beyond the greatest depth the rest of the text is given up. */
export function readNested(scan: Scan, read: () => void): void {
  const { findings } = scan;
  findings.depth += 1;
  if (findings.depth > MAX_DEPTH) giveUp(scan);
  else read();
  findings.depth -= 1;
}

export function countToken(scan: Scan): void {
  const { findings } = scan;
  findings.tokens += 1;
  if (findings.tokens > findings.maxTokens) giveUp(scan);
}

export function countLookahead(scan: Scan, characters: number): void {
  const { findings } = scan;
  findings.lookahead -= characters;
  if (findings.lookahead < 0) giveUp(scan);
}

function giveUp(scan: Scan): void {
  scan.findings.isLost = true;
  scan.at = scan.text.length;
}

/** Reads a part of a text as a script of its own. */
export function readScript({ findings }: Scan, text: string): void {
  const inner: Scan = { text, at: 0, findings: { ...findings, heredocs: [] } };
  readNested(inner, () => findings.readList(inner, null));
  const { isSimple, tokens, lookahead, isLost } = inner.findings;
  Object.assign(findings, { isSimple, tokens, lookahead, isLost });
}

/** What the pattern, which must be sticky, matches here; the scan moves behind it. */
export function take(scan: Scan, pattern: RegExp): string {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.text)?.[0] ?? "";
  scan.at += found.length;
  return found;
}
