/** Classifies one plain command as a read, a listing, a search or unknown, for clients. */

import { joinWords } from "../../../base/shlex.ts";
import type { CommandAction } from "../../../protocol/generated/types.ts";
import {
  isNoFlag,
  operands,
  sedEditsInPlace,
  sedReadPath,
  shortPath,
  withoutFlagValues,
} from "./operands.ts";

type Summarize = (words: readonly string[], args: readonly string[]) => CommandAction;

const LS_FLAGS = ["-I", "-w", "--block-size", "--format", "--time-style", "--color", "--quoting-style"];
const EZA_FLAGS = ["-I", "--ignore-glob", "--color", "--sort", "--time-style", "--time"];
const TREE_FLAGS = ["-L", "-P", "-I", "--charset", "--filelimit", "--sort"];
const DU_FLAGS = ["-d", "--max-depth", "-B", "--block-size", "--exclude", "--time-style"];
const RG_FLAGS =
  "-g --glob --iglob -t --type --type-add --type-not -m --max-count -A -B -C --context --max-depth".split(
    " ",
  );
const AG_FLAGS = ["-G", "-g", "--file-search-regex", "--ignore-dir", "--ignore-file", "--path-to-ignore"];
const FD_FLAGS = ["-t", "--type", "-e", "--extension", "-E", "--exclude", "--search-path"];
const BAT_FLAGS = "--theme --language --style --terminal-width --tabs --line-range --map-syntax".split(" ");
const LESS_FLAGS = "-p -P -x -y -z -j --pattern --prompt --tabs --shift --jump-target".split(" ");
const AWK_FLAGS = ["-F", "-v", "-f", "--field-separator", "--assign", "--file"];
const NL_FLAGS = ["-s", "-w", "-v", "-i", "-b"];

const SUMMARIES: ReadonlyMap<string, Summarize> = new Map<string, Summarize>([
  ["ls", lists(LS_FLAGS)],
  ["eza", lists(EZA_FLAGS)],
  ["exa", lists(EZA_FLAGS)],
  ["tree", lists(TREE_FLAGS)],
  ["du", lists(DU_FLAGS)],
  ["rg", ripgrep],
  ["rga", ripgrep],
  ["ripgrep-all", ripgrep],
  ["git", git],
  ["fd", fd],
  ["find", find],
  ["grep", grep],
  ["egrep", grep],
  ["fgrep", grep],
  ["ag", searches(AG_FLAGS)],
  ["ack", searches(AG_FLAGS)],
  ["pt", searches(AG_FLAGS)],
  ["cat", reads((args) => onlyOne(operands(args)))],
  ["more", reads((args) => onlyOne(operands(args)))],
  ["bat", reads((args) => onlyOne(operands(args, BAT_FLAGS)))],
  ["batcat", reads((args) => onlyOne(operands(args, BAT_FLAGS)))],
  ["less", reads((args) => onlyOne(operands(args, LESS_FLAGS)))],
  ["head", reads((args) => endOfFile(args, /^[0-9]*$/))],
  ["tail", reads((args) => endOfFile(args, /^\+?[0-9]+$/))],
  ["awk", reads(awkDataFile)],
  ["nl", reads((args) => withoutFlagValues(args, NL_FLAGS).find(isNoFlag) ?? null)],
  ["sed", reads(sedReadPath)],
]);

export function summarizeCommand(words: readonly string[]): CommandAction {
  const [head = "", ...args] = words;
  const summarize = SUMMARIES.get(head) ?? (/^python(?:[23](?:\..*)?)?$/.test(head) ? python : unknown);
  return summarize(words, args);
}

function unknown(words: readonly string[]): CommandAction {
  return { type: "unknown", command: joinWords(words) };
}

function listing(words: readonly string[], path: string | undefined): CommandAction {
  return { type: "listFiles", command: joinWords(words), path: path === undefined ? null : shortPath(path) };
}

function search(
  words: readonly string[],
  query: string | undefined,
  path: string | undefined,
): CommandAction {
  return {
    type: "search",
    command: joinWords(words),
    query: query ?? null,
    path: path === undefined ? null : shortPath(path),
  };
}

function lists(flags: readonly string[]): Summarize {
  return (words, args) => listing(words, operands(args, flags)[0]);
}

function searches(flags: readonly string[]): Summarize {
  return (words, args) => {
    const [query, path] = withoutFlagValues(args, flags).filter(isNoFlag);
    return search(words, query, path);
  };
}

function reads(pathOf: (args: readonly string[]) => string | null): Summarize {
  return (words, args) => {
    const path = pathOf(args);
    return path === null
      ? unknown(words)
      : { type: "read", command: joinWords(words), name: shortPath(path), path };
  };
}

function onlyOne(found: readonly string[]): string | null {
  return found.length === 1 ? (found[0] ?? null) : null;
}

function ripgrep(words: readonly string[], args: readonly string[]): CommandAction {
  if (!args.includes("--files")) return searches(RG_FLAGS)(words, args);
  return listing(words, withoutFlagValues(args, RG_FLAGS).find(isNoFlag));
}

function git(words: readonly string[], [command, ...args]: readonly string[]): CommandAction {
  if (command === "grep") return grep(words, args);
  if (command !== "ls-files") return unknown(words);
  return lists(["--exclude", "--exclude-from", "--pathspec-from-file"])(words, args);
}

function fd(words: readonly string[], args: readonly string[]): CommandAction {
  const [first, path] = withoutFlagValues(args, FD_FLAGS).filter(isNoFlag);
  if (first === undefined) return listing(words, undefined);
  const isPath = path === undefined && (/[/\\]/.test(first) || first === "." || first === "..");
  return isPath ? listing(words, first) : search(words, first, path);
}

function find(words: readonly string[], args: readonly string[]): CommandAction {
  const path = args.find((arg) => isNoFlag(arg) && !["!", "(", ")"].includes(arg));
  const at = args.findIndex((arg) => ["-name", "-iname", "-path", "-regex"].includes(arg));
  const query = at < 0 ? undefined : args[at + 1];
  return query === undefined ? listing(words, path) : search(words, query, path);
}

const GREP_COUNTS = "-m --max-count -C --context -A --after-context -B --before-context".split(" ");

function grep(words: readonly string[], args: readonly string[]): CommandAction {
  const found: string[] = [];
  let pattern: string | undefined;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      found.push(...args.slice(at + 1));
      break;
    }
    if (["-e", "--regexp", "-f", "--file"].includes(arg)) {
      at += 1;
      pattern ??= args[at];
    } else if (GREP_COUNTS.includes(arg)) at += 1;
    else if (isNoFlag(arg)) found.push(arg);
  }
  return pattern === undefined ? search(words, found[0], found[1]) : search(words, pattern, found[0]);
}

/** The file of `head -n 5 file`, `head -n5 file` and `head file`. */
function endOfFile(args: readonly string[], count: RegExp): string | null {
  const [first = "", second] = args;
  const apart = first === "-n" && second !== undefined && count.test(second);
  const joined = first !== "-n" && first.startsWith("-n") && count.test(first.slice(2));
  if (apart || joined) {
    const path = args.slice(apart ? 2 : 0).find(isNoFlag);
    if (path !== undefined) return path;
  }
  return args.length === 1 && isNoFlag(first) ? first : null;
}

function awkDataFile(args: readonly string[]): string | null {
  const found = withoutFlagValues(args, AWK_FLAGS).filter(isNoFlag);
  return found[args.includes("-f") || args.includes("--file") ? 0 : 1] ?? null;
}

const WALKS = /os\.walk|os\.listdir|os\.scandir|glob\.glob|glob\.iglob|pathlib\.Path|\.rglob\(/;

function python(words: readonly string[], args: readonly string[]): CommandAction {
  const script = args[args.indexOf("-c") + 1];
  return args.includes("-c") && script !== undefined && WALKS.test(script)
    ? listing(words, undefined)
    : unknown(words);
}

/** These only format the output of another command. */
const FORMATTERS = new Set(["wc", "tr", "cut", "sort", "uniq", "tee", "column", "yes", "printf"]);

export function isFormatting(words: readonly string[]): boolean {
  const [head = "", ...args] = words;
  if (FORMATTERS.has(head)) return true;
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
