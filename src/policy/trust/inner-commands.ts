/** What a command is told to run in turn, by the table of wrappers. */
import { splitWords } from "../../base/shlex.ts";
import { readOptions } from "./read-options.ts";
import { shellCommands, sourcedScript } from "./shell-invocation.ts";
import { type Span, wholeSpan } from "./span.ts";
import { findWrapper, isShell, type Wrapper } from "./wrappers.ts";

export type Inner =
  | { readonly kind: "command"; readonly span: Span }
  | { readonly kind: "script"; readonly text: string; readonly input: string | null }
  /** An option is not in the table, so that any of the words may be the command. */
  | { readonly kind: "anywhere"; readonly span: Span };

const ASSIGNMENT = /^[^-=][^=]*=/;

/** One level deep. */
export function innerCommands(name: string, span: Span): readonly Inner[] {
  if (isShell(name)) return shellCommands(span);
  if (name === "source" || name === ".") return sourcedScript(span);
  if (name === "trap") return trapAction(span);
  const row = findWrapper(name);
  if (row === null) return [];
  if (row.actions !== undefined) return actionCommands(span, row.actions);
  if (row.scripts !== undefined) return optionScripts(span, row, row.scripts);
  return afterOptions(span, row);
}

function afterOptions(span: Span, row: Wrapper): readonly Inner[] {
  const { words, to, input } = span;
  const read = readOptions(row, span, { wanted: row.splits ?? "", permutes: false });
  if (!read.isSure) return [anywhere(span)];
  if (read.wanted !== null) {
    const program = words[span.from] ?? "";
    const split = splitWords(read.wanted) ?? read.wanted.split(/\s+/);
    return [{ kind: "command", span: wholeSpan([program, ...split, ...words.slice(read.end, to)], input) }];
  }
  if (row.joins === true) {
    const text = words.slice(read.end, to).map((word) => (word.startsWith(":::") ? "\n" : word));
    return [{ kind: "script", text: text.join(" "), input }];
  }
  const start = read.end + (row.operands ?? 0);
  // An expansion among the options may have been an operand.
  const earliest = Math.max(read.end, start - read.expansions);
  const starts = earliest === start ? [start] : [start, earliest];
  return starts.flatMap((from) => commandAt(span, row, from));
}

function commandAt(span: Span, row: Wrapper, start: number): Inner[] {
  const { words, to, input } = span;
  let from = start;
  if (row.assignments === true) while (from < to && ASSIGNMENT.test(words[from] ?? "")) from += 1;
  if (from >= to) return [];
  if (row.trailing === true && /^-c$|^--c/.test(words[from] ?? "")) {
    const joined = /^--c[a-z]*=(.*)$/s.exec(words[from] ?? "")?.[1];
    return [{ kind: "script", text: joined ?? words[from + 1] ?? "", input }];
  }
  return [{ kind: "command", span: { ...span, from } }];
}

/** The script of `su -c`, and the words that are handed to a shell or run. */
function optionScripts(span: Span, row: Wrapper, wanted: string): readonly Inner[] {
  const { words, to, input } = span;
  const read = readOptions(row, span, { wanted, permutes: true });
  const script: Inner[] = read.wanted === null ? [] : [{ kind: "script", text: read.wanted, input }];
  if (!read.isSure) return [...script, anywhere(span)];
  const operands = [...read.operands.map((at) => words[at] ?? ""), ...words.slice(read.end, to)];
  const handed = ["sh", ...operands.slice(1)];
  return [
    ...script,
    { kind: "command", span: wholeSpan(operands, input) },
    { kind: "command", span: wholeSpan(handed, input) },
  ];
}

/** `find … -exec command ;` */
function actionCommands(span: Span, actions: RegExp): Inner[] {
  const { words, from, to } = span;
  const commands: Inner[] = [];
  for (let at = from + 1; at < to; at += 1) {
    if (!actions.test(words[at] ?? "")) continue;
    const start = at + 1;
    for (at = start; at < to; at += 1) {
      if (words[at] === ";" || (words[at] === "+" && words[at - 1] === "{}")) break;
    }
    if (start < at) commands.push({ kind: "command", span: { ...span, from: start, to: at } });
  }
  return commands;
}

function trapAction({ words, from, to }: Span): Inner[] {
  const at = words[from + 1] === "--" ? from + 2 : from + 1;
  const action = at < to ? (words[at] ?? "-") : "-";
  return action.startsWith("-") ? [] : [{ kind: "script", text: action, input: null }];
}

function anywhere(span: Span): Inner {
  return { kind: "anywhere", span: { ...span, from: span.from + 1 } };
}
