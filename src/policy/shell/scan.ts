/** The shared state of the script scanner: results, position and limits. */

export interface ScannedCommand {
  /** The program and its arguments, with `$_` for expansions. */
  readonly words: readonly string[];
  /** Its standard input, if the script determines it. */
  readonly input: string | null;
}

export interface ScannedScript {
  readonly commands: readonly ScannedCommand[];
  /** Whether it contains only words, quotes, redirections, operators and groups. */
  readonly isSimple: boolean;
  /** The number of words, operators, quotes and expansions. */
  readonly tokens: number;
}

/** A command that is being scanned. */
export interface CommandDraft {
  readonly words: string[];
  /** Its standard input, if the script determines it. */
  input: string | null;
  /** The command that is piped into it. */
  readonly source: CommandDraft | null;
}

export interface Heredoc {
  readonly owner: CommandDraft;
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
}

export interface ScanState {
  readonly commands: CommandDraft[];
  /** Here-documents whose bodies start on the next line. */
  readonly heredocs: Heredoc[];
  depth: number;
  /** Whether it contains only words, quotes, redirections, operators and groups. */
  isSimple: boolean;
  /** The number of words, operators, quotes and expansions. */
  tokens: number;
  readonly maxTokens: number;
  /** The remaining number of lookahead characters. */
  lookahead: number;
  /** Whether the scan was aborted because the script is too long or nested too deeply. */
  isAborted: boolean;
  /** Reads commands up to the closing parenthesis, or to the end of the text. */
  readonly readList: (scan: Scan, closer: ")" | null) => void;
}

export interface Scan {
  readonly text: string;
  at: number;
  readonly state: ScanState;
}

/** The placeholder for an expansion, such as a variable or the output of a command. */
export const EXPANSION = "$_";

export const MAX_LOOKAHEAD = 131_072;
const MAX_DEPTH = 100;

/** Reads a recursive construct. Beyond the maximum depth the scan is aborted. */
export function readNested(scan: Scan, read: () => void): void {
  const { state } = scan;
  state.depth += 1;
  if (state.depth > MAX_DEPTH) abortScan(scan);
  else read();
  state.depth -= 1;
}

export function countToken(scan: Scan): void {
  const { state } = scan;
  state.tokens += 1;
  if (state.tokens > state.maxTokens) abortScan(scan);
}

export function countLookahead(scan: Scan, characters: number): void {
  const { state } = scan;
  state.lookahead -= characters;
  if (state.lookahead < 0) abortScan(scan);
}

function abortScan(scan: Scan): void {
  scan.state.isAborted = true;
  scan.at = scan.text.length;
}

/** Scans a part of a text as a nested script. */
export function readScript({ state }: Scan, text: string): void {
  const inner: Scan = { text, at: 0, state: { ...state, heredocs: [] } };
  readNested(inner, () => state.readList(inner, null));
  const { isSimple, tokens, lookahead, isAborted } = inner.state;
  Object.assign(state, { isSimple, tokens, lookahead, isAborted });
}

/** Consumes and returns the match of a sticky pattern at the current position. */
export function takeMatch(scan: Scan, pattern: RegExp): string {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.text)?.[0] ?? "";
  scan.at += found.length;
  return found;
}
