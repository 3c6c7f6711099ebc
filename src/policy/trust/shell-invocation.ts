/** What a shell is told to run. */
import { EXPANSION } from "../shell/scan.ts";
import type { Inner } from "./inner-commands.ts";
import type { Span } from "./span.ts";

const LONG_WITH_VALUE = new Set(["rcfile", "init-file", "emulate"]);
/** bash takes these with one dash as well. */
const LONG = new Set(
  "debug debugger dump-po-strings dump-strings help init-file login noediting noline noprofile norc posix pretty-print rcfile restricted verbose version wordexp".split(
    " ",
  ),
);
const STANDARD_INPUT = new Set([EXPANSION, "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);
/** The script runs words that stand behind it. */
const POSITIONAL = /\$[@*\d{]/;

/** The script of `bash -c`, in any group of options; else what it reads, where it is given no file. */
export function shellCommands(span: Span): Inner[] {
  const { words, to, input } = span;
  const { at, hasScript, readsInput } = readShellOptions(span);
  const operand = at < to ? (words[at] ?? "") : null;
  if (!hasScript) {
    const isRead = input !== null && (readsInput || operand === null || STANDARD_INPUT.has(operand));
    return isRead ? [{ kind: "script", text: input, input: null }] : [];
  }
  if (operand === null) return [];
  const script: Inner = { kind: "script", text: operand, input };
  if (!POSITIONAL.test(operand)) return [script];
  const rest = [at + 1, at + 2].filter((from) => from < to);
  return [script, ...rest.map((from): Inner => ({ kind: "command", span: { ...span, from } }))];
}

function readShellOptions({ words, from, to }: Span) {
  let hasScript = false;
  let readsInput = false;
  let at = from + 1;
  for (; at < to; at += 1) {
    const word = words[at] ?? "";
    if (word === EXPANSION) continue;
    if (!/^[-+]./.test(word) || word === "--") break;
    const name = word.replace(/^--?/, "");
    if (word.startsWith("--") || LONG.has(name)) {
      if (LONG_WITH_VALUE.has(name)) at += 1;
      continue;
    }
    hasScript ||= word.startsWith("-") && word.includes("c");
    readsInput ||= word.startsWith("-") && word.includes("s");
    at += optionNames(word, words, at);
  }
  if (words[at] === "--" || words[at] === "-") at += 1;
  return { at, hasScript, readsInput };
}

/** How many of the next words name options of the shell: one for each `o`. */
function optionNames(word: string, words: readonly string[], at: number): number {
  let count = 0;
  for (const letter of word) {
    if ("oO".includes(letter) && /^[^-+]/.test(words[at + count + 1] ?? "-")) count += 1;
  }
  return count;
}

/** `source` and `.` read a script where the shell reads from, if they are given no other file. */
export function sourcedScript({ words, from, to, input }: Span): Inner[] {
  const file = from + 1 < to ? (words[from + 1] ?? "") : "";
  return input !== null && STANDARD_INPUT.has(file) ? [{ kind: "script", text: input, input: null }] : [];
}
