/**
 * Finds every command in a shell script, also in substitutions, loops, functions and here-documents, in one pass with
 * linear time. It is lenient, because its results are only used to restrict: invalid scripts still yield their commands.
 * Which commands may run without a question is decided by `parseShell`, which is strict.
 */
import { literalOutput } from "./literal-output.ts";
import {
  type CommandDraft,
  countToken,
  EXPANSION,
  MAX_LOOKAHEAD,
  readNested,
  type Scan,
  type ScannedScript,
  type ScanState,
  takeMatch,
} from "./scan.ts";
import { readHeredocs, readRedirection } from "./scan-redirection.ts";
import { readWord, type ScannedWord, skipArithmetic } from "./scan-word.ts";

/** Null for a script with more tokens, or with too deep nesting. */
export function scanScript(text: string, maxTokens: number): ScannedScript | null {
  const state: ScanState = {
    commands: [],
    heredocs: [],
    depth: 0,
    isSimple: true,
    tokens: 0,
    maxTokens,
    lookahead: MAX_LOOKAHEAD,
    isAborted: false,
    readList,
  };
  readList({ text, at: 0, state }, null);
  const { commands, isSimple, tokens, isAborted } = state;
  if (isAborted) return null;
  // In order, because a command comes after the one that it reads from.
  for (const command of commands) {
    if (command.source !== null) command.input ??= literalOutput(command.source);
  }
  return { commands, isSimple, tokens };
}

interface List {
  readonly scan: Scan;
  draft: CommandDraft;
  /** The last command, also within a group, because a pipe may follow. */
  last: CommandDraft | null;
  /** Whether the current words belong to a command or to the head of `for` or `case`. */
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
/** Only a group may have a name. */
const COPROCESS_NAME = /[ \t]+[A-Za-z_]\w*[ \t]+(?=[{(])/y;
const ASSIGNMENT = /[A-Za-z_]\w*(?:\[[^\]\n]*\])?\+?=/y;
const DESCRIPTOR = /^(?:\d+|\{\w+\})$/;
const GROUP_WORDS = new Set(["{", "}", "!"]);
const KEYWORDS = new Set("if then elif else fi while until do done".split(" "));

/** Reads a list of commands up to the end of the text or of a group. */
function readList(scan: Scan, closer: ")" | null): void {
  const { text, state } = scan;
  const list: List = {
    scan,
    draft: createDraft(null),
    last: null,
    head: "command",
    cases: 0,
    expectsPattern: false,
    expectsCommand: false,
  };
  while (scan.at < text.length) {
    takeMatch(scan, BLANKS);
    const character = text.charAt(scan.at);
    if (character === "") break;
    if (character === "#") {
      takeMatch(scan, COMMENT);
      state.isSimple = false;
    } else if (character === "\n") {
      scan.at += 1;
      if (list.head !== "case") endCommand(list, null);
      readHeredocs(scan);
    } else if (list.expectsPattern) readPattern(list);
    else if (character === ")") {
      scan.at += 1;
      endCommand(list, null);
      if (closer !== null) return;
      state.isSimple = false;
    } else readPart(list, character);
  }
  endCommand(list, null);
  if (closer !== null || list.expectsCommand) state.isSimple = false;
}

function createDraft(source: CommandDraft | null): CommandDraft {
  return { words: [], input: null, source };
}

function endCommand(list: List, source: "last" | null): void {
  const { draft, head } = list;
  if (draft.words.length > 0) {
    list.expectsCommand = false;
    if (head === "command") {
      list.scan.state.commands.push(draft);
      list.last = draft;
    }
  }
  list.head = "command";
  list.draft = createDraft(source === null ? null : list.last);
}

function readPart(list: List, character: string): void {
  const { scan, draft } = list;
  const { text, state } = scan;
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
    state.isSimple &&= list.head === "command";
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
  list.draft = createDraft(null);
}

/** Handles keywords and assignments at the start of a command. */
function takesWord(list: List, { texts, isQuoted }: ScannedWord, start: number): boolean {
  const { scan } = list;
  const { state, text } = scan;
  const [first = EXPANSION] = texts;
  if (texts.length > 1) return false;
  ASSIGNMENT.lastIndex = start;
  if (ASSIGNMENT.test(text)) {
    state.isSimple = false;
    return true;
  }
  if (isQuoted) return false;
  if (GROUP_WORDS.has(first)) return true;
  if (KEYWORDS.has(first)) {
    state.isSimple = false;
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
      takeMatch(scan, FUNCTION_NAME);
      break;
    case "coproc":
      takeMatch(scan, COPROCESS_NAME);
      break;
    case "esac":
      list.cases = Math.max(0, list.cases - 1);
      break;
    default:
      return false;
  }
  state.isSimple = false;
  return true;
}

function readParenthesis(list: List): void {
  const { scan, draft } = list;
  const { text, state } = scan;
  if (draft.words.length === 1 && list.head === "command" && takeMatch(scan, EMPTY_PARENTHESES) !== "") {
    state.isSimple = false;
    list.draft = createDraft(null);
    return;
  }
  if (draft.words.length > 0) {
    state.isSimple = false;
    endCommand(list, null);
  }
  if (text.startsWith("((", scan.at) && skipArithmetic(scan)) return;
  scan.at += 1;
  countToken(scan);
  const before = state.commands.length;
  readNested(scan, () => state.readList(scan, ")"));
  list.expectsCommand &&= state.commands.length === before;
  list.last = state.commands.at(-1) ?? null;
}

function readOperator(list: List): void {
  const { scan, draft } = list;
  const { state } = scan;
  countToken(scan);
  if (list.cases > 0 && takeMatch(scan, CASE_END) !== "") {
    endCommand(list, null);
    list.expectsPattern = true;
    return;
  }
  const operator = takeMatch(scan, OPERATOR);
  state.isSimple &&= operator !== "&" && operator !== "|&";
  const isPipe = operator === "|" || operator === "|&";
  if (draft.words.length === 0 && list.expectsCommand) state.isSimple = false;
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
    takeMatch(scan, BLANKS);
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
