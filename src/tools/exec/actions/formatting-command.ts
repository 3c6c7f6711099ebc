/** Commands that only shape what another one prints, and so say nothing about what is being done. */

import { sedEditsInPlace, sedReadPath } from "./sed.ts";
import { awkDataFile } from "./summarize-command.ts";

const ALWAYS = new Set(["wc", "tr", "cut", "sort", "uniq", "tee", "column", "yes", "printf"]);

export function isFormatting(words: readonly string[]): boolean {
  const [head = "", ...args] = words;
  if (ALWAYS.has(head)) return true;
  if (head === "xargs") return !xargsEdits(args);
  if (head === "awk") return awkDataFile(args) === null;
  if (head === "head") return hasNoFile(args, /^[0-9]*$/);
  if (head === "tail") return hasNoFile(args, /^\+?[0-9]*$/);
  if (head === "sed") return !sedEditsInPlace(args) && sedReadPath(args) === null;
  return false;
}

function hasNoFile(args: readonly string[], count: RegExp): boolean {
  const [first = "", second = ""] = args;
  if (args.length <= 1) return args.length === 0 || first.startsWith("-");
  return args.length === 2 && (first === "-n" || first === "-c") && count.test(second);
}

function xargsEdits(args: readonly string[]): boolean {
  let at = 0;
  while (args[at]?.startsWith("-") === true && args[at] !== "--") {
    at += /^-[EeILnPs]$/.test(args[at] ?? "") ? 2 : 1;
  }
  const [head, ...rest] = args.slice(args[at] === "--" ? at + 1 : at);
  if (head === "perl" || head === "ruby") return rest.some((arg) => /^(?:-p?i|--in-place(?:=|$))/.test(arg));
  if (head === "sed") return sedEditsInPlace(rest);
  return head === "rg" && rest.includes("--replace");
}
