/** What interpreters are told to run by their arguments, and which of their options load nothing else. */
import { isBuiltin } from "node:module";
import { isShell } from "../../policy/commands/wrappers.ts";

export type InterpreterRun =
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "module" | "input" };

export interface InterpreterCall {
  readonly run: InterpreterRun;
  /** Python looks for modules in no folder but its own. */
  readonly isIsolated: boolean;
  /** The first option that may load something; null for none. */
  readonly unknownOption: string | null;
}

interface Interpreter {
  /** Options without a value that load nothing. */
  readonly flags: RegExp;
  /** Options whose value is the next word and loads nothing. */
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

/** Those that are not listed read a file of the folder that they run in, or complete the names of modules. */
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
  const codes: string[] = [];
  let isIsolated = false;
  let unknownOption: string | null = null;
  const done = (run: InterpreterRun): InterpreterCall => ({ run, isIsolated, unknownOption });
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    isIsolated ||= codes.length === 0 && /^-[A-Za-z]*[IP]/.test(arg);
    const joined = row.code === undefined ? undefined : LONG_CODE.exec(arg)?.[1];
    if (isPython(name) && /^-[A-Za-z]*m/.test(arg)) return done({ kind: "module" });
    if (joined !== undefined) codes.push(joined);
    else if (row.code?.test(arg) === true) codes.push(args[(at += 1)] ?? "");
    else if (row.values?.test(arg) === true) at += 1;
    else if (arg === "-" || arg === "/dev/stdin") return done({ kind: "input" });
    else if (/^[-+]/.test(arg) && arg !== "--") unknownOption ??= row.flags.test(arg) ? null : arg;
    else if (arg !== "--") return done(codes.length > 0 ? toCode(codes) : { kind: "file", file: arg });
    // Behind code are the words that it is given.
    if (codes.length > 0 && (isShell(name) || isPython(name))) return done(toCode(codes));
  }
  return done(codes.length > 0 ? toCode(codes) : { kind: "input" });
}

function toCode(codes: readonly string[]): InterpreterRun {
  return { kind: "code", code: codes.join("\n") };
}

const RELATIVE = /\b(?:require|require_relative|import|from|load)\b[\s(]*["'`]\.{1,2}\//;
const NODE_LOADS = /\b(?:require|import|from)\b[\s(]*(?:(["'`])([^"'`]*)\1|(?=\())?/g;

/** Whether code loads modules whose files are completed or looked for, so that its words do not name them. */
export function loadsModules(name: string, code: string): boolean {
  if (name === "ruby") return RELATIVE.test(code) || /\brequire_relative\b/.test(code);
  if (name !== "node" && name !== "nodejs") return false;
  return [...code.matchAll(NODE_LOADS)].some(([, , module]) => module === undefined || !isBuiltin(module));
}
