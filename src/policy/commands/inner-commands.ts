/** Finds the inner commands of a command, by the table of wrappers and by the options of a shell. */
import { splitWords } from "../../base/shlex.ts";
import { EXPANSION } from "../shell/scan.ts";
import { type CommandSlice, readOptions, wholeCommand } from "./wrapper-options.ts";
import { findWrapper, isShell, type Wrapper } from "./wrappers.ts";

export type InnerCommand =
  | { readonly kind: "command"; readonly slice: CommandSlice }
  | { readonly kind: "script"; readonly text: string; readonly input: string | null }
  /** An option is not in the table, so any of the words may be the command. */
  | { readonly kind: "anywhere"; readonly slice: CommandSlice };

const ASSIGNMENT = /^[^-=][^=]*=/;

/** One level of nesting. */
export function innerCommands(name: string, slice: CommandSlice): readonly InnerCommand[] {
  if (isShell(name)) return shellCommands(slice);
  if (name === "source" || name === ".") return sourcedScript(slice);
  if (name === "trap") return trapAction(slice);
  const row = findWrapper(name);
  if (row === null) return [];
  if (row.actions !== undefined) return actionCommands(slice, row.actions);
  if (row.scripts !== undefined) return optionScripts(slice, row, row.scripts);
  return afterOptions(slice, row);
}

function afterOptions(slice: CommandSlice, row: Wrapper): readonly InnerCommand[] {
  const { words, to, input } = slice;
  const read = readOptions(row, slice, { wanted: row.splits ?? "", permutes: false });
  if (!read.isSure) return [anywhere(slice)];
  if (read.wanted !== null) {
    const program = words[slice.from] ?? "";
    const split = splitWords(read.wanted) ?? read.wanted.split(/\s+/);
    return [
      { kind: "command", slice: wholeCommand([program, ...split, ...words.slice(read.end, to)], input) },
    ];
  }
  if (row.joins === true) {
    const text = words.slice(read.end, to).map((word) => (word.startsWith(":::") ? "\n" : word));
    return [{ kind: "script", text: text.join(" "), input }];
  }
  const start = read.end + (row.operands ?? 0);
  // An expansion among the options may be an operand.
  const earliest = Math.max(read.end, start - read.expansions);
  const starts = earliest === start ? [start] : [start, earliest];
  return starts.flatMap((from) => commandAt(slice, row, from));
}

function commandAt(slice: CommandSlice, row: Wrapper, start: number): InnerCommand[] {
  const { words, to, input } = slice;
  let from = start;
  if (row.assignments === true) while (from < to && ASSIGNMENT.test(words[from] ?? "")) from += 1;
  if (from >= to) return [];
  if (row.trailing === true && /^-c$|^--c/.test(words[from] ?? "")) {
    const joined = /^--c[a-z]*=(.*)$/s.exec(words[from] ?? "")?.[1];
    return [{ kind: "script", text: joined ?? words[from + 1] ?? "", input }];
  }
  return [{ kind: "command", slice: { ...slice, from } }];
}

/** The script of `su -c`, and the operands, which are passed to a shell or executed. */
function optionScripts(slice: CommandSlice, row: Wrapper, wanted: string): readonly InnerCommand[] {
  const { words, to, input } = slice;
  const read = readOptions(row, slice, { wanted, permutes: true });
  const script: InnerCommand[] = read.wanted === null ? [] : [{ kind: "script", text: read.wanted, input }];
  if (!read.isSure) return [...script, anywhere(slice)];
  const operands = [...read.operands.map((at) => words[at] ?? ""), ...words.slice(read.end, to)];
  const asShell = ["sh", ...operands.slice(1)];
  return [
    ...script,
    { kind: "command", slice: wholeCommand(operands, input) },
    { kind: "command", slice: wholeCommand(asShell, input) },
  ];
}

/** `find … -exec command ;` */
function actionCommands(slice: CommandSlice, actions: RegExp): InnerCommand[] {
  const { words, from, to } = slice;
  const commands: InnerCommand[] = [];
  for (let at = from + 1; at < to; at += 1) {
    if (!actions.test(words[at] ?? "")) continue;
    const start = at + 1;
    for (at = start; at < to; at += 1) {
      if (words[at] === ";" || (words[at] === "+" && words[at - 1] === "{}")) break;
    }
    if (start < at) commands.push({ kind: "command", slice: { ...slice, from: start, to: at } });
  }
  return commands;
}

function trapAction({ words, from, to }: CommandSlice): InnerCommand[] {
  const at = words[from + 1] === "--" ? from + 2 : from + 1;
  const action = at < to ? (words[at] ?? "-") : "-";
  return action.startsWith("-") ? [] : [{ kind: "script", text: action, input: null }];
}

function anywhere(slice: CommandSlice): InnerCommand {
  return { kind: "anywhere", slice: { ...slice, from: slice.from + 1 } };
}

const LONG_OPTIONS_WITH_VALUE = new Set(["rcfile", "init-file", "emulate"]);
/** bash also accepts these with a single dash. */
const LONG_OPTIONS = new Set(
  "debug debugger dump-po-strings dump-strings help init-file login noediting noline noprofile norc posix pretty-print rcfile restricted verbose version wordexp".split(
    " ",
  ),
);
const STANDARD_INPUT = new Set([EXPANSION, "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);
/** The script uses its positional parameters. */
const POSITIONAL = /\$[@*\d{]/;

/** The script of `bash -c`, in any group of options; otherwise the standard input, unless a file is given. */
function shellCommands(slice: CommandSlice): InnerCommand[] {
  const { words, to, input } = slice;
  const { at, hasScript, readsInput } = readShellOptions(slice);
  const operand = at < to ? (words[at] ?? "") : null;
  if (!hasScript) {
    const isRead = input !== null && (readsInput || operand === null || STANDARD_INPUT.has(operand));
    return isRead ? [{ kind: "script", text: input, input: null }] : [];
  }
  if (operand === null) return [];
  const script: InnerCommand = { kind: "script", text: operand, input };
  if (!POSITIONAL.test(operand)) return [script];
  const rest = [at + 1, at + 2].filter((from) => from < to);
  return [script, ...rest.map((from): InnerCommand => ({ kind: "command", slice: { ...slice, from } }))];
}

function readShellOptions({ words, from, to }: CommandSlice) {
  let hasScript = false;
  let readsInput = false;
  let at = from + 1;
  for (; at < to; at += 1) {
    const word = words[at] ?? "";
    if (word === EXPANSION) continue;
    if (!/^[-+]./.test(word) || word === "--") break;
    const name = word.replace(/^--?/, "");
    if (word.startsWith("--") || LONG_OPTIONS.has(name)) {
      if (LONG_OPTIONS_WITH_VALUE.has(name)) at += 1;
      continue;
    }
    hasScript ||= word.startsWith("-") && word.includes("c");
    readsInput ||= word.startsWith("-") && word.includes("s");
    at += optionNames(word, words, at);
  }
  if (words[at] === "--" || words[at] === "-") at += 1;
  return { at, hasScript, readsInput };
}

/** The number of following words that are values of `o` options. */
function optionNames(word: string, words: readonly string[], at: number): number {
  let count = 0;
  for (const letter of word) {
    if ("oO".includes(letter) && /^[^-+]/.test(words[at + count + 1] ?? "-")) count += 1;
  }
  return count;
}

/** `source` and `.` read the standard input if it is their file. */
function sourcedScript({ words, from, to, input }: CommandSlice): InnerCommand[] {
  const file = from + 1 < to ? (words[from + 1] ?? "") : "";
  return input !== null && STANDARD_INPUT.has(file) ? [{ kind: "script", text: input, input: null }] : [];
}
