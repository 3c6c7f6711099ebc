/**
 * Reads which files the text of a command names, and whether the text settles what it runs. It reads leniently and
 * names too much rather than too little: whatever is named is only ever used to hold a hook back.
 */

import { searchCommand } from "../../policy/commands/search-command.ts";
import { type CommandSlice, programName } from "../../policy/commands/wrapper-options.ts";
import { findWrapper, isShell } from "../../policy/commands/wrappers.ts";
import { EXPANSION } from "../../policy/shell/scan.ts";
import { scanScript } from "../../policy/shell/scan-script.ts";
import {
  FOLDER_PROGRAMS,
  type InterpreterRun,
  isHarmless,
  isInterpreter,
  isPython,
  NAMES_FROM_DATA,
  readInterpreter,
  WITH_CODE_ARGUMENTS,
} from "./known-programs.ts";

export interface CommandText {
  /** Programs that are called by a path, or may be. */
  readonly programs: readonly string[];
  /** Words that name a file for certain, whether it is there or not. */
  readonly paths: readonly string[];
  /** Words that name a file where one is there. */
  readonly words: readonly string[];
  /** Where it goes; names without a slash at their beginning start there as well. */
  readonly folders: readonly string[];
  /** Operands of interpreters, which may be folders and then run what is in them. */
  readonly operands: readonly string[];
  /** Why the text does not settle which files are run; null where it does. */
  readonly unsettled: string | null;
}

const MAX_CHARACTERS = 32_768;
const MAX_TOKENS = 4096;
const MAX_WORDS = 512;

/** Variables by which a program is told to load or run something. */
const LOADER =
  /(?:^|[\s;&|('"])(PATH|LD_\w+|DYLD_\w+|BASH_ENV|ENV|ZDOTDIR|SHELL|IFS|CDPATH|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w+|RUBY\w+|GEM_\w+|GIT_\w+|JAVA_TOOL_OPTIONS|DENO_\w+|BUN_\w+|EDITOR|PAGER)\+?=/;
const ASSIGNED = /[A-Za-z_]\w*\+?=(?:"([^"]*)"|'([^']*)'|([^\s;&|()'"]+))/g;
const READ_FROM = /(?:^|[^<>&])(?:\d*)<\s*(?:"([^"<&]+)"|'([^'<&]+)'|([^\s;&|()'"<>]+))/g;
const WRITTEN_TO = /(?:>>?\|?|&>>?)\s*(?:"([^"]+)"|'([^']+)'|([^\s;&|()'"<>]+))/g;

/** `command` with its known variables settled. */
export function readCommand(command: string): CommandText {
  const found = createFindings();
  if (command.length > MAX_CHARACTERS) found.leaveOpen("it is too long to be read");
  else readScript(command, found);
  return found.text();
}

function readScript(command: string, found: Findings): void {
  const scan = (script: string) => {
    const scanned = scanScript(script, MAX_TOKENS);
    for (const { words } of scanned?.commands ?? [])
      if (isOpen(words[0] ?? "")) found.leaveOpen(OPEN_PROGRAM);
    return scanned;
  };
  const { within, danger } = searchCommand(["sh", "-c", command], scan);
  if (danger === "unread" || danger === "unknown")
    found.leaveOpen("it cannot be told which commands it runs");
  const loader = LOADER.exec(command)?.[1];
  if (loader !== undefined) found.leaveOpen(`it sets ${loader}, which decides what programs load`);
  for (const slice of within) readSlice(slice, found);
  for (const value of valuesOf(command, ASSIGNED)) found.addWord(value);
  for (const target of valuesOf(command, READ_FROM)) found.addPath(target);
  const written = new Set(valuesOf(command, WRITTEN_TO).filter((target) => !target.startsWith("/dev/")));
  const runsWritten = found.named().find((word) => written.has(word));
  if (runsWritten !== undefined) found.leaveOpen(`it both writes and reads ${runsWritten}`);
}

const OPEN_PROGRAM = "its program is only known when it runs";

function readSlice(slice: CommandSlice, found: Findings): void {
  const { words, from, to, input } = slice;
  const program = words[from] ?? "";
  const name = programName(words, from);
  const args = words.slice(from + 1, to);
  const runsOthers = findWrapper(name) !== null;
  if (isOpen(program) || (runsOthers && args.some((arg) => arg.includes(EXPANSION)))) {
    found.leaveOpen(OPEN_PROGRAM);
    return;
  }
  found.addProgram(program);
  if (name === "cd" || name === "pushd" || name === "popd") readFolderChange(args, found);
  else if (isHarmless(name)) return;
  else if (FOLDER_PROGRAMS.has(name)) found.leaveOpen(`${name} takes from the folder what it runs`);
  else if (NAMES_FROM_DATA.has(name)) found.leaveOpen(`${name} takes from its input what it runs`);
  else if (isInterpreter(name)) readInterpreterCall({ name, args, input }, found);
  else {
    for (const arg of args) found.addArgument(arg);
    if (WITH_CODE_ARGUMENTS.has(name)) for (const arg of args) addCode(arg, found);
  }
}

function addCode(code: string, found: Findings): void {
  for (const word of code.split(/[^\w./@+-]+/)) found.addCodeWord(word);
}

/** `-` goes back, and `~user` and the like are for the shell to know. */
function readFolderChange(args: readonly string[], found: Findings): void {
  const targets = args.filter((arg) => !/^-[LPe@]+$|^--$/.test(arg));
  const [target] = targets;
  if (targets.length !== 1 || target === undefined || isOpen(target) || /^[-+~]/.test(target)) {
    found.leaveOpen("it goes to a folder that is only known when it runs");
  } else found.addFolder(target);
}

interface InterpreterCall {
  readonly name: string;
  readonly args: readonly string[];
  readonly input: string | null;
}

function readInterpreterCall({ name, args, input }: InterpreterCall, found: Findings): void {
  const { run, isIsolated } = readInterpreter(name, args);
  const code = run.kind === "code" ? run.code : null;
  const isScript = isShell(name) && code !== null && code.trim() !== EXPANSION;
  // What a shell is told is among the commands that were found.
  const reason = isScript ? null : whyOpen(run, name, input);
  if (isPython(name) && !isIsolated && run.kind !== "file") found.leaveOpen(SEARCHES_FOLDER);
  else if (reason !== null) found.leaveOpen(reason);
  if (run.kind === "file") found.addOperand(run.file);
  if (code !== null && !isScript) addCode(code, found);
  // Whatever else is named may be loaded as well.
  for (const arg of args) if (arg !== code) found.addArgument(arg);
}

const SEARCHES_FOLDER = "python looks for modules in the folder unless it is called with -I";

function whyOpen(run: InterpreterRun, name: string, input: string | null): string | null {
  switch (run.kind) {
    case "module":
      return `${name} takes from the folder what it runs`;
    case "code":
      return run.code.includes(EXPANSION) ? "the code that it runs is only known when it runs" : null;
    case "input":
      return input === null ? `${name} runs what it reads from its input` : null;
    case "file":
      return isOpen(run.file) ? `the file that ${name} runs is only known when it runs` : null;
  }
}

/** Globs count whether they are quoted or not. */
function isOpen(word: string): boolean {
  if (word === "[" || word === "[[") return false;
  return word.includes(EXPANSION) || /[*?[]/.test(word) || word.startsWith("~");
}

function valuesOf(command: string, pattern: RegExp): string[] {
  return [...command.matchAll(pattern)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
}

interface Findings {
  addProgram(word: string): void;
  addPath(word: string): void;
  addWord(word: string): void;
  addArgument(word: string): void;
  addCodeWord(word: string): void;
  addOperand(word: string): void;
  addFolder(word: string): void;
  leaveOpen(reason: string): void;
  named(): string[];
  text(): CommandText;
}

function createFindings(): Findings {
  const [programs, paths, words] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const [folders, operands] = [new Set<string>(), new Set<string>()];
  let unsettled: string | null = null;
  let count = 0;

  function leaveOpen(reason: string): void {
    unsettled ??= reason;
  }

  function add(to: Set<string>, word: string): void {
    if (word === "" || word.includes("\0") || to.has(word)) return;
    count += 1;
    if (count > MAX_WORDS) leaveOpen("it names too many files");
    else to.add(word);
  }

  const isPath = (word: string) =>
    /^\.{0,2}\/|\/|\.[A-Za-z]\w{0,7}$/.test(word) && !/^[a-z][a-z+.-]*:\/\//.test(word);
  const addNamed = (word: string) => add(isPath(word) ? paths : words, word);

  return {
    addProgram: (word) => add(programs, word),
    addPath: (word) => add(paths, word),
    addWord: addNamed,
    addArgument(word) {
      if (isOpen(word)) return;
      if (!word.startsWith("-")) return addNamed(word);
      // A value may be joined to its option, with an equals sign or without.
      if (word.includes("=")) addNamed(word.slice(word.indexOf("=") + 1));
      else if (!word.startsWith("--")) add(words, word.slice(2));
    },
    addCodeWord: (word) => add(/^\.{0,2}\//.test(word) ? paths : words, word),
    addOperand(word) {
      if (isOpen(word)) return;
      add(operands, word);
      add(paths, word);
    },
    addFolder: (word) => add(folders, word),
    leaveOpen,
    named: () => [...programs, ...paths, ...words],
    text: () => ({
      programs: [...programs],
      paths: [...paths],
      words: [...words],
      folders: [...folders],
      operands: [...operands],
      unsettled,
    }),
  };
}
