/**
 * Parses which file or code an interpreter runs by its arguments, and which of its options load nothing else.
 */
import { isBuiltin } from "node:module";
import { isShell } from "../../policy/commands/wrappers.ts";

export type InterpreterRun =
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "module" | "input" };

export interface InterpreterCall {
  readonly run: InterpreterRun;
  /** Python searches modules only in its own installation. */
  readonly isIsolated: boolean;
  /** The first option that may load a file; null for none. */
  readonly unknownOption: string | null;
}

interface Interpreter {
  /** Options without a value that load nothing. */
  readonly flags: RegExp;
  /** Options whose value is the next argument and loads nothing. */
  readonly values?: RegExp;
  /** Options whose value is code. */
  readonly code?: RegExp;
}

const SHELL: Interpreter = {
  flags: /^(?:[-+][abefhkmnuvxBCEHPT]+|--(?:norc|noprofile|posix|verbose))$/,
  values: /^[-+][abefhkmnuvxBCEHPT]*[oO]$/,
  code: /^-[abefhkmnuvxBCEHPT]*c$/,
};

const PYTHON: Interpreter = {
  flags: /^-(?:[IEsSBuOqP]+|W\S+)$/,
  values: /^-W$/,
  code: /^-[IEsSBuOqP]*c$/,
};

const NODE: Interpreter = {
  flags:
    /^--(?:no-warnings|no-deprecation|enable-source-maps|experimental-strip-types|trace-\w+|disable-warning=\S+|max-old-space-size=\d+|unhandled-rejections=\w+)$/,
  code: /^(?:-e|-p|-pe|--eval|--print)$/,
};

const SOURCE: Interpreter = { flags: /^--$/ };

/** Unlisted interpreters read a file of their working folder, or complete module names. */
const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  ".": SOURCE,
  source: SOURCE,
  fish: { flags: /^(?:-N|-P|--no-config|--private)$/, code: /^(?:-c|--command)$/ },
  node: NODE,
  nodejs: NODE,
  osascript: { flags: /^$/, values: /^-[ls]$/, code: /^-e$/ },
  perl: { flags: /^-(?:[wWtTXnplasi]+|0\d*|F\S+)$/, code: /^-[wWtTXnplas0]*[eE]$/ },
  php: { flags: /^-[nqC]+$/, code: /^-r$/ },
  ruby: { flags: /^-[wWnplasvU]+$/, code: /^-[wWnplasvU]*e$/ },
};

const ASKS = /^(?:-v|-V|-h|--version|--help)$/;
const LONG_CODE = /^--(?:eval|print|command)=(.*)$/s;

export function isInterpreter(name: string): boolean {
  return findInterpreter(name) !== null;
}

function findInterpreter(name: string): Interpreter | null {
  if (isShell(name)) return SHELL;
  if (isPython(name)) return PYTHON;
  return Object.hasOwn(INTERPRETERS, name) ? (INTERPRETERS[name] ?? null) : null;
}

export function isPython(name: string): boolean {
  return /^(?:python|pypy)[\d.]*$/.test(name);
}

export function readInterpreter(name: string, args: readonly string[]): InterpreterCall {
  const row = findInterpreter(name) ?? SOURCE;
  if (args.length > 0 && args.every((arg) => ASKS.test(arg)))
    return { run: { kind: "code", code: "" }, isIsolated: true, unknownOption: null };
  // Arguments after the code of these interpreters are only passed to the code.
  const hasOneCode = isShell(name) || isPython(name);
  const codes: string[] = [];
  let isIsolated = false;
  let unknownOption: string | null = null;
  const done = (run: InterpreterRun): InterpreterCall => ({
    run: codes.length > 0 ? { kind: "code", code: codes.join("\n") } : run,
    isIsolated,
    unknownOption,
  });
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    const read = readArgument(name, row, arg, args[at + 1] ?? "");
    isIsolated ||= /^-[A-Za-z]*[IP]/.test(arg);
    if (read.kind === "unknown") unknownOption ??= arg;
    else if (read.kind === "option") at += read.nextWords;
    else if (read.kind !== "code") return done(read);
    else {
      codes.push(read.code);
      at += read.nextWords;
      if (hasOneCode) break;
    }
  }
  return done({ kind: "input" });
}

type Argument =
  | Exclude<InterpreterRun, { kind: "code" }>
  | { readonly kind: "code"; readonly code: string; readonly nextWords: 0 | 1 }
  | { readonly kind: "option"; readonly nextWords: 0 | 1 }
  | { readonly kind: "unknown" };

function readArgument(name: string, row: Interpreter, arg: string, next: string): Argument {
  if (isPython(name) && /^-[A-Za-z]*m/.test(arg)) return { kind: "module" };
  const joined = row.code === undefined ? undefined : LONG_CODE.exec(arg)?.[1];
  if (joined !== undefined) return { kind: "code", code: joined, nextWords: 0 };
  if (row.code?.test(arg) === true) return { kind: "code", code: next, nextWords: 1 };
  if (row.values?.test(arg) === true) return { kind: "option", nextWords: 1 };
  if (arg === "-" || arg === "/dev/stdin") return { kind: "input" };
  if (arg === "--" || row.flags.test(arg)) return { kind: "option", nextWords: 0 };
  return /^[-+]/.test(arg) ? { kind: "unknown" } : { kind: "file", file: arg };
}

const RELATIVE = /\b(?:require|require_relative|import|from|load)\b[\s(]*["'`]\.{1,2}\//;
const NODE_LOADS = /\b(?:require|import|from)\b[\s(]*(?:(["'`])([^"'`]*)\1|(?=\())?/g;

/**
 * Whether code loads modules whose file names are completed or searched for, so that its words do not name
 * the files.
 */
export function loadsModules(name: string, code: string): boolean {
  if (name === "ruby") return RELATIVE.test(code) || /\brequire_relative\b/.test(code);
  if (name !== "node" && name !== "nodejs") return false;
  return [...code.matchAll(NODE_LOADS)].some(([, , module]) => module === undefined || !isBuiltin(module));
}
