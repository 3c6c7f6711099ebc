/**
 * Parses which files a command's text names, and whether the text determines what runs. Parsing is lenient
 * and names too much rather than too little: names are only ever used to hold a hook back.
 */
import { searchCommand } from "../../policy/commands/search-command.ts";
import { type CommandSlice, programName } from "../../policy/commands/wrapper-options.ts";
import { findWrapper, isShell } from "../../policy/commands/wrappers.ts";
import { EXPANSION } from "../../policy/shell/scan.ts";
import { scanScript } from "../../policy/shell/scan-script.ts";
import { type CommandFindings, type CommandText, createFindings, isOpen } from "./command-text.ts";
import { readGitCommand } from "./git-command.ts";
import {
  type InterpreterRun,
  isInterpreter,
  isPython,
  loadsModules,
  readInterpreter,
} from "./interpreters.ts";
import {
  isHarmless,
  isKnown,
  NAMES_FROM_DATA,
  WITH_CODE_ARGUMENTS,
  WITH_CODE_FILES,
} from "./known-programs.ts";

const MAX_CHARACTERS = 32_768;
const MAX_TOKENS = 4096;

/** Variables that make a program load or run other files. */
const LOADER =
  /(?:^|[\s;&|('"])(PATH|LD_\w+|DYLD_\w+|BASH_ENV|ENV|ZDOTDIR|SHELL|IFS|CDPATH|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w+|RUBY\w+|GEM_\w+|GIT_\w+|JAVA_TOOL_OPTIONS|DENO_\w+|BUN_\w+|EDITOR|PAGER)\+?=/;
const ASSIGNED = /[A-Za-z_]\w*\+?=(?:"([^"]*)"|'([^']*)'|([^\s;&|()'"]+))/g;
const READ_FROM = /(?:^|[^<>&])(?:\d*)<\s*(?:"([^"<&]+)"|'([^'<&]+)'|([^\s;&|()'"<>]+))/g;
const WRITTEN_TO = /(?:>>?\|?|&>>?)\s*(?:"([^"]+)"|'([^']+)'|([^\s;&|()'"<>]+))/g;
const FUNCTION = /(?:^|[\s;&|({])(?:function\s+([\w-]+)|([\w-]+)\s*\(\s*\))/g;

/** `command` must have its known variables expanded. */
export function parseHookCommand(command: string): CommandText {
  const found = createFindings();
  if (command.length > MAX_CHARACTERS) found.leaveOpen("it is too long to be read");
  else readScript(command, found);
  return found.text();
}

function readScript(command: string, found: CommandFindings): void {
  const scan = (script: string) => {
    const scanned = scanScript(script, MAX_TOKENS);
    for (const { words } of scanned?.commands ?? [])
      if (isOpen(words[0] ?? "")) found.leaveOpen(OPEN_PROGRAM);
    return scanned;
  };
  const { within, danger } = searchCommand(["sh", "-c", command], scan);
  if (danger === "unread" || danger === "unknown") found.leaveOpen("it is not clear which commands it runs");
  const loader = LOADER.exec(command)?.[1];
  if (loader !== undefined) found.leaveOpen(`it sets ${loader}, which decides what programs load`);
  const functions = new Set(
    [...command.matchAll(FUNCTION)].map(([, named, plain]) => (named ?? plain ?? "").toLowerCase()),
  );
  for (const slice of within) readSlice(slice, functions, found);
  for (const value of valuesOf(command, ASSIGNED)) found.addWord(value);
  for (const target of valuesOf(command, READ_FROM)) found.addPath(target);
  const written = new Set(valuesOf(command, WRITTEN_TO).filter((target) => !target.startsWith("/dev/")));
  const runsWritten = found.named().find((word) => written.has(word));
  if (runsWritten !== undefined) found.leaveOpen(`it both writes and reads ${runsWritten}`);
}

const OPEN_PROGRAM = "its program is only known when it runs";

function readSlice(slice: CommandSlice, functions: ReadonlySet<string>, found: CommandFindings): void {
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
  readCall({ name, args, input }, found);
  const isKnownName = runsOthers || functions.has(name) || isJudged(name);
  if (!isKnownName && !isKnown(name)) found.addUnknown(program);
}

/** Whether the program has rules of its own. */
function isJudged(name: string): boolean {
  return FOLDER_CHANGES.has(name) || NAMES_FROM_DATA.has(name) || name === "git" || isInterpreter(name);
}

const FOLDER_CHANGES: ReadonlySet<string> = new Set(["cd", "pushd", "popd"]);

function readCall({ name, args, input }: Call, found: CommandFindings): void {
  if (FOLDER_CHANGES.has(name)) readFolderChange(args, found);
  else if (isHarmless(name)) return;
  else if (NAMES_FROM_DATA.has(name)) found.leaveOpen(`${name} takes from its input what it runs`);
  else if (name === "git") readGit(args, found);
  else if (isInterpreter(name)) readInterpreterCall({ name, args, input }, found);
  else {
    for (const arg of args) found.addArgument(arg);
    if (WITH_CODE_ARGUMENTS.has(name)) for (const arg of args) addCode(arg, found);
    if (WITH_CODE_FILES.has(name)) for (const file of codeFilesIn(args)) found.addOperand(file);
  }
}

function codeFilesIn(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    if (/^-[A-Za-z]*f$|^--file$/.test(arg)) return args[at + 1] ?? [];
    return /^(?:--file=|-f)(.+)$/s.exec(arg)?.[1] ?? [];
  });
}

function addCode(code: string, found: CommandFindings): void {
  for (const word of code.split(/[^\w./@+-]+/)) found.addCodeWord(word);
}

function readGit(args: readonly string[], found: CommandFindings): void {
  const use = readGitCommand(args);
  if (use.kind === "open") found.leaveOpen(use.reason);
  else found.addGit(use.kind);
  for (const arg of args) found.addArgument(arg);
}

/** `-` is the previous folder, and only the shell can resolve `~user` and the like. */
function readFolderChange(args: readonly string[], found: CommandFindings): void {
  const targets = args.filter((arg) => !/^-[LPe@]+$|^--$/.test(arg));
  const [target] = targets;
  if (targets.length !== 1 || target === undefined || isOpen(target) || /^[-+~]/.test(target)) {
    found.leaveOpen("it goes to a folder that is only known when it runs");
  } else found.addFolder(target);
}

interface Call {
  readonly name: string;
  readonly args: readonly string[];
  readonly input: string | null;
}

function readInterpreterCall({ name, args, input }: Call, found: CommandFindings): void {
  const { run, isIsolated, unknownOption } = readInterpreter(name, args);
  const code = run.kind === "code" ? run.code : null;
  const isScript = isShell(name) && code !== null && code.trim() !== EXPANSION;
  // The commands of a shell script are already part of the search result.
  const reason = isScript ? null : whyOpen(run, name, input);
  if (unknownOption !== null) found.leaveOpen(`${name} ${unknownOption} may load other files`);
  else if (isPython(name) && !isIsolated && run.kind !== "file") found.leaveOpen(SEARCHES_FOLDER);
  else if (reason !== null) found.leaveOpen(reason);
  if (run.kind === "file") found.addOperand(run.file);
  if (code !== null && !isScript) addCode(code, found);
  // Every other argument may be loaded as well.
  for (const arg of args) if (arg !== code) found.addArgument(arg);
}

const SEARCHES_FOLDER = "python looks for modules in the folder unless it is called with -I";

function whyOpen(run: InterpreterRun, name: string, input: string | null): string | null {
  switch (run.kind) {
    case "module":
      return `${name} takes from the folder what it runs`;
    case "code":
      if (run.code.includes(EXPANSION)) return "the code that it runs is only known when it runs";
      return loadsModules(name, run.code) ? `${name} looks for the modules that its code loads` : null;
    case "input":
      return input === null ? `${name} runs what it reads from its input` : null;
    case "file":
      return isOpen(run.file) ? `the file that ${name} runs is only known when it runs` : null;
  }
}

function valuesOf(command: string, pattern: RegExp): string[] {
  return [...command.matchAll(pattern)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
}
