/**
 * Finds every command in a shell script, also in substitutions, loops, functions and here-documents, in one pass whose
 * time grows with the length of the text alone. It reads leniently, because what is found is only ever used to hold
 * something back: a text that is no valid script still yields its commands. What may run unasked is decided by
 * `parseShell`, which reads strictly.
 */
import { literalOutput } from "./literal-output.ts";
import {
  countToken,
  type Draft,
  EXPANSION,
  type Findings,
  MAX_LOOKAHEAD,
  readNested,
  type Scan,
  type ScannedScript,
  take,
} from "./scan.ts";
import { readHeredocs, readRedirection } from "./scan-redirection.ts";
import { readWord, type ScannedWord, skipArithmetic } from "./scan-word.ts";

/** Null for a script of more tokens, or one that is nested too deeply. */
export function scanScript(text: string, maxTokens: number): ScannedScript | null {
  const findings: Findings = {
    commands: [],
    heredocs: [],
    depth: 0,
    isSimple: true,
    tokens: 0,
    maxTokens,
    lookahead: MAX_LOOKAHEAD,
    isLost: false,
    readList,
  };
  readList({ text, at: 0, findings }, null);
  const { commands, isSimple, tokens, isLost } = findings;
  if (isLost) return null;
  // A command stands behind the one that it reads from.
  for (const command of commands) {
    if (command.source !== null) command.input ??= literalOutput(command.source);
  }
  return { commands, isSimple, tokens };
}

interface List {
  readonly scan: Scan;
  draft: Draft;
  /** The last command that was read, also within a group: a pipe may follow. */
  last: Draft | null;
  /** What the words at hand are: those of a command, or the head of `for` or `case`. */
  head: "command" | "loop" | "case";
  cases: number;
  expectsPattern: boolean;
  expectsCommand: boolean;
}

const BLANKS = /(?:[ \t]|\\\n)+/y;
const COMMENT = /#[^\n]*/y;
const CASE_END = /;;&|;;|;&/y;
const OPERATOR = /&&|\|\||\|&|[;&|]/y;
const EMPTY_PARENTHESES = /\([ \t]*\)/y;
const FUNCTION_NAME = /[ \t]+[^\s(){}]+(?:[ \t]*\([ \t]*\))?/y;
/** A name is only given to a group. */
const COPROCESS_NAME = /[ \t]+[A-Za-z_]\w*[ \t]+(?=[{(])/y;
const ASSIGNMENT = /[A-Za-z_]\w*(?:\[[^\]\n]*\])?\+?=/y;
const DESCRIPTOR = /^(?:\d+|\{\w+\})$/;
const GROUP_WORDS = new Set(["{", "}", "!"]);
const KEYWORDS = new Set("if then elif else fi while until do done".split(" "));

/** Reads commands, one after the other, up to the end of the text or that of a group. */
function readList(scan: Scan, closer: ")" | null): void {
  const { text, findings } = scan;
  const list: List = {
    scan,
    draft: newDraft(null),
    last: null,
    head: "command",
    cases: 0,
    expectsPattern: false,
    expectsCommand: false,
  };
  while (scan.at < text.length) {
    take(scan, BLANKS);
    const character = text.charAt(scan.at);
    if (character === "") break;
    if (character === "#") {
      take(scan, COMMENT);
      findings.isSimple = false;
    } else if (character === "\n") {
      scan.at += 1;
      if (list.head !== "case") endCommand(list, null);
      readHeredocs(scan);
    } else if (list.expectsPattern) readPattern(list);
    else if (character === ")") {
      scan.at += 1;
      endCommand(list, null);
      if (closer !== null) return;
      findings.isSimple = false;
    } else readPart(list, character);
  }
  endCommand(list, null);
  if (closer !== null || list.expectsCommand) findings.isSimple = false;
}

function newDraft(source: Draft | null): Draft {
  return { words: [], input: null, source };
}

function endCommand(list: List, source: "last" | null): void {
  const { draft, head } = list;
  if (draft.words.length > 0) {
    list.expectsCommand = false;
    if (head === "command") {
      list.scan.findings.commands.push(draft);
      list.last = draft;
    }
  }
  list.head = "command";
  list.draft = newDraft(source === null ? null : list.last);
}

function readPart(list: List, character: string): void {
  const { scan, draft } = list;
  const { text, findings } = scan;
  if (character === "(") readParenthesis(list);
  else if ("<>".includes(character) || text.startsWith("&>", scan.at)) readRedirection(scan, draft);
  else if (";&|".includes(character)) readOperator(list);
  else {
    const start = scan.at;
    const word = readWord(scan);
    if (draft.words.length === 0 && takesWord(list, word, start)) return;
    if ("<>".includes(text.charAt(scan.at) || " ") && !word.isQuoted && DESCRIPTOR.test(word.texts[0] ?? ""))
      return;
    draft.words.push(...word.texts);
    endHead(list);
    findings.isSimple &&= list.head === "command";
  }
}

/** `case word in` and `for name do`. */
function endHead(list: List): void {
  const { words } = list.draft;
  if (list.head === "command" || words.length !== 2) return;
  if (words[1] !== (list.head === "case" ? "in" : "do")) return;
  if (list.head === "case") {
    list.cases += 1;
    list.expectsPattern = true;
  }
  list.head = "command";
  list.draft = newDraft(null);
}

/** Keywords and assignments where a command may begin. */
function takesWord(list: List, { texts, isQuoted }: ScannedWord, start: number): boolean {
  const { scan } = list;
  const { findings, text } = scan;
  const [first = EXPANSION] = texts;
  if (texts.length > 1) return false;
  ASSIGNMENT.lastIndex = start;
  if (ASSIGNMENT.test(text)) {
    findings.isSimple = false;
    return true;
  }
  if (isQuoted) return false;
  if (GROUP_WORDS.has(first)) return true;
  if (KEYWORDS.has(first)) {
    findings.isSimple = false;
    return true;
  }
  switch (first) {
    case "for":
    case "select":
      list.head = "loop";
      break;
    case "case":
      list.head = "case";
      break;
    case "function":
      take(scan, FUNCTION_NAME);
      break;
    case "coproc":
      take(scan, COPROCESS_NAME);
      break;
    case "esac":
      list.cases = Math.max(0, list.cases - 1);
      break;
    default:
      return false;
  }
  findings.isSimple = false;
  return true;
}

function readParenthesis(list: List): void {
  const { scan, draft } = list;
  const { text, findings } = scan;
  if (draft.words.length === 1 && list.head === "command" && take(scan, EMPTY_PARENTHESES) !== "") {
    findings.isSimple = false;
    list.draft = newDraft(null);
    return;
  }
  if (draft.words.length > 0) {
    findings.isSimple = false;
    endCommand(list, null);
  }
  if (text.startsWith("((", scan.at) && skipArithmetic(scan)) return;
  scan.at += 1;
  countToken(scan);
  const before = findings.commands.length;
  readNested(scan, () => findings.readList(scan, ")"));
  list.expectsCommand &&= findings.commands.length === before;
  list.last = findings.commands.at(-1) ?? null;
}

function readOperator(list: List): void {
  const { scan, draft } = list;
  const { findings } = scan;
  countToken(scan);
  if (list.cases > 0 && take(scan, CASE_END) !== "") {
    endCommand(list, null);
    list.expectsPattern = true;
    return;
  }
  const operator = take(scan, OPERATOR);
  findings.isSimple &&= operator !== "&" && operator !== "|&";
  const isPipe = operator === "|" || operator === "|&";
  if (draft.words.length === 0 && list.expectsCommand) findings.isSimple = false;
  endCommand(list, isPipe ? "last" : null);
  list.expectsCommand = operator !== ";" && operator !== "&";
}

/** `a | b)` of a `case`. */
function readPattern(list: List): void {
  const { scan } = list;
  const { text } = scan;
  list.expectsPattern = false;
  if (text.charAt(scan.at) === "(") scan.at += 1;
  for (let isFirst = true; scan.at < text.length; isFirst = false) {
    take(scan, BLANKS);
    const before = scan.at;
    const { texts, isQuoted } = readWord(scan);
    if (isFirst && !isQuoted && texts[0] === "esac") {
      list.cases -= 1;
      return;
    }
    if (scan.at > before) continue;
    scan.at += 1;
    if (text.charAt(before) === ")") return;
  }
}
