/** Scans words of a script as a shell would: quotes and escapes are removed, and expansions become a placeholder. */
import { decodeEscapes, literalOutput } from "./literal-output.ts";
import {
  countLookahead,
  countToken,
  EXPANSION,
  readNested,
  readScript,
  type Scan,
  takeMatch,
} from "./scan.ts";

export interface ScannedWord {
  /** Several if braces or a command's output expand to several words; none if the output is empty. */
  readonly texts: readonly string[];
  /** A quoted word is not a keyword, and a quoted delimiter disables expansion in a here-document. */
  readonly isQuoted: boolean;
}

const PLAIN = /[^ \t\n;&|()<>\\'"`$]+/y;
const PLAIN_IN_QUOTES = /[^"\\`$]+/y;
const BLANKS = /(?:[ \t\n]|\\\n)+/y;
const NAME = /[A-Za-z_]\w*|[\d@*#?!$-]/y;

interface Piece {
  readonly text: string;
  readonly kind: "plain" | "quoted" | "expanded";
}

/** Advances by at least one character, unless an operator is next. */
export function readWord(scan: Scan): ScannedWord {
  let word = "";
  let isQuoted = false;
  let hasBraces = false;
  let isSplit = false;
  countToken(scan);
  for (let piece = readPiece(scan, word); piece !== null; piece = readPiece(scan, word)) {
    const { text, kind } = piece;
    word += text;
    isQuoted ||= kind === "quoted";
    hasBraces ||= kind === "plain" && text.includes("{");
    isSplit ||= kind === "expanded" && (text === "" || /[ \t\n]/.test(text));
  }
  if (isSplit) return { texts: word.split(/[ \t\n]+/).filter((part) => part !== ""), isQuoted };
  return { texts: hasBraces ? expandBraces(word) : [word], isQuoted };
}

/** Null at the end of the word. */
function readPiece(scan: Scan, before: string): Piece | null {
  const { text, at } = scan;
  const plain = takeMatch(scan, PLAIN);
  if (plain !== "") return { text: plain, kind: "plain" };
  const character = text.charAt(at);
  switch (character) {
    case "\\":
    case "'":
    case '"':
      return { text: readQuoted(scan, character), kind: "quoted" };
    case "$":
      return {
        kind: /^\$['"]/.test(text.slice(at, at + 2)) ? "quoted" : "expanded",
        text: readDollar(scan, false),
      };
    case "`":
      return { text: readBackticks(scan, false), kind: "expanded" };
    case "(":
      // An array or a pattern; after a single one of these characters it is a group of commands.
      if (before.length < 2 || !"=?*+@!".includes(before.slice(-1))) return null;
      readGroup(scan);
      return { text: EXPANSION, kind: "plain" };
    default:
      return null;
  }
}

function readQuoted(scan: Scan, quote: string): string {
  const { text, state } = scan;
  countToken(scan);
  scan.at += 1;
  if (quote === '"') return readDoubleQuoted(scan);
  if (quote === "\\") {
    const escaped = text.charAt(scan.at);
    scan.at += 1;
    return escaped === "\n" ? "" : escaped;
  }
  const start = scan.at;
  const end = text.indexOf("'", start);
  if (end < 0) state.isSimple = false;
  scan.at = end < 0 ? text.length : end + 1;
  return text.slice(start, end < 0 ? undefined : end);
}

/** Reads up to the closing quote, or a whole here-document body, in which quotes are literal. */
export function readDoubleQuoted(scan: Scan, isBody = false): string {
  const { text, state } = scan;
  let read = "";
  while (scan.at < text.length) {
    read += takeMatch(scan, PLAIN_IN_QUOTES);
    const character = text.charAt(scan.at);
    if (character === '"') {
      scan.at += 1;
      if (!isBody) return read;
      read += character;
    } else if (character === "\\") {
      const escaped = text.charAt(scan.at + 1);
      scan.at += 2;
      if (escaped !== "\n") read += '$`"\\'.includes(escaped) ? escaped : `\\${escaped}`;
    } else if (character === "$") read += readDollar(scan, true);
    else if (character === "`") read += readBackticks(scan, true);
  }
  if (!isBody) state.isSimple = false;
  return read;
}

/** The placeholder of an expansion, or the output of a substituted command if its words determine it. */
function readDollar(scan: Scan, inQuotes: boolean): string {
  const { text, state } = scan;
  state.isSimple = false;
  countToken(scan);
  scan.at += 1;
  const next = text.charAt(scan.at);
  if (next === "(") return readSubstitution(scan);
  if (next === "{" || next === "[") {
    readNested(scan, () => skipExpansion(scan, next === "{" ? "}" : "]", inQuotes));
    return EXPANSION;
  }
  if (!inQuotes && next === "'") return readEscapedText(scan);
  if (!inQuotes && next === '"') return readQuoted(scan, next);
  return takeMatch(scan, NAME) === "" ? "$" : EXPANSION;
}

function readSubstitution(scan: Scan): string {
  if (scan.text.startsWith("((", scan.at) && skipArithmetic(scan)) return EXPANSION;
  scan.at += 1;
  return outputOf(scan, () => readNested(scan, () => scan.state.readList(scan, ")")));
}

function readBackticks(scan: Scan, inQuotes: boolean): string {
  const { text, state } = scan;
  state.isSimple = false;
  countToken(scan);
  const start = scan.at + 1;
  let end = start;
  while (end < text.length && text.charAt(end) !== "`") end += text.charAt(end) === "\\" ? 2 : 1;
  scan.at = end + 1;
  const script = text.slice(start, end).replaceAll(inQuotes ? /\\([\\$`"])/g : /\\([\\$`])/g, "$1");
  return outputOf(scan, () => readScript(scan, script));
}

/** The output of the single command that `read` finds. */
export function outputOf({ state }: Scan, read: () => void): string {
  const { commands } = state;
  const before = commands.length;
  read();
  const only = commands[before];
  const output = only === undefined || commands.length > before + 1 ? null : literalOutput(only);
  return output === null ? EXPANSION : output.replace(/\n$/, "");
}

/** `$'…'` */
function readEscapedText(scan: Scan): string {
  const { text } = scan;
  const start = scan.at + 1;
  let end = start;
  while (end < text.length && text.charAt(end) !== "'") end += text.charAt(end) === "\\" ? 2 : 1;
  scan.at = end + 1;
  return decodeEscapes(text.slice(start, end));
}

/** Scans `${…}` and `$[…]` for inner commands. */
function skipExpansion(scan: Scan, closer: string, inQuotes: boolean): void {
  const { text } = scan;
  scan.at += 1;
  while (scan.at < text.length) {
    const character = text.charAt(scan.at);
    if (character === "$") readDollar(scan, inQuotes);
    else if (character === "`") readBackticks(scan, inQuotes);
    else if (character === "\\" || character === '"') readQuoted(scan, character);
    else if (character === "'" && !inQuotes) readQuoted(scan, character);
    else {
      scan.at += 1;
      if (character === closer) return;
    }
  }
}

/** Scans the elements of an array, or the alternatives of a pattern, for inner commands. */
function readGroup(scan: Scan): void {
  const { text, state } = scan;
  state.isSimple = false;
  scan.at += 1;
  readNested(scan, () => {
    while (scan.at < text.length) {
      takeMatch(scan, BLANKS);
      const before = scan.at;
      readWord(scan);
      if (scan.at > before) continue;
      if (text.charAt(scan.at) === "(") readGroup(scan);
      else {
        scan.at += 1;
        if (text.charAt(before) === ")") return;
      }
    }
  });
}

/**
 * Skips `((…))`, if it is closed as such. Shells without arithmetic commands parse it as two nested groups, so it is also
 * scanned as a script.
 */
export function skipArithmetic(scan: Scan): boolean {
  const { text, state } = scan;
  const start = scan.at + 2;
  let open = 2;
  let at = start;
  for (; at < text.length && open > 0; at += 1) {
    const character = text.charAt(at);
    if (character === "(") open += 1;
    else if (character === ")") open -= 1;
  }
  countLookahead(scan, at - start);
  if (open > 0 || text.charAt(at - 2) !== ")") return false;
  state.isSimple = false;
  readScript(scan, text.slice(start, at - 2));
  scan.at = at;
  return true;
}

/** Longer results are not expanded. */
const MAX_CHARACTERS = 4096;

/** Expands words such as `-{r,f}` with one list of alternatives; any other word is unchanged. */
function expandBraces(word: string): string[] {
  const open = word.indexOf("{");
  const close = word.indexOf("}", open);
  if (open < 0 || close < 0 || close - open > MAX_CHARACTERS) return [word];
  const [before, list, after] = [word.slice(0, open), word.slice(open + 1, close), word.slice(close + 1)];
  const each = list.split(",");
  if (each.length < 2 || each.length * (before.length + after.length) > MAX_CHARACTERS) return [word];
  return each.map((part) => `${before}${part}${after}`).filter((part) => part !== "");
}
