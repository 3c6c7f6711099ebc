/** Searches a command and its inner commands for dangers, within limits. */
import { EXPANSION, type ScannedScript } from "../shell/scan.ts";
import { innerCommands } from "./inner-commands.ts";
import { type CommandSlice, programName, wholeCommand } from "./wrapper-options.ts";
import { findWrapper, isShell } from "./wrappers.ts";

/**
 * Why a command never runs without a question: it forces removal, it is unknown what it executes, or it exceeds the
 * limits of the search.
 */
export type Danger = "forcedRemoval" | "unknown" | "unread";

export interface Search {
  /** The inner commands, including possible ones where that is uncertain. */
  readonly within: readonly CommandSlice[];
  readonly danger: Danger | null;
}

const MAX_WRAPPERS = 8;
const MAX_COMMANDS = 10_000;

interface Pending {
  readonly slice: CommandSlice;
  readonly depth: number;
  /** Start indexes already found in the same words; a command may be found in two ways. */
  readonly starts: Set<number>;
}

/** `input` is the known standard input; `scan` returns null for a script beyond its limits. */
export function searchCommand(
  argv: readonly string[],
  scan: (script: string) => ScannedScript | null,
  input: string | null = null,
): Search {
  const within: CommandSlice[] = [];
  const pending: Pending[] = [];
  let danger: Danger | null = null;
  let commands = 0;
  add(wholeCommand(argv, input), 0, new Set());
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    commands += 1;
    if (commands > MAX_COMMANDS) return { within, danger: danger ?? "unread" };
    if (next.depth > MAX_WRAPPERS) note("unknown");
    else visit(next);
  }
  return { within, danger };

  function note(found: Danger | null): void {
    danger = found === "forcedRemoval" ? found : (danger ?? found);
  }

  function visit({ slice, depth, starts }: Pending): void {
    if (depth > 0) within.push(slice);
    const name = programName(slice.words, slice.from);
    if (isRemoval(name) && isForced(slice)) note("forcedRemoval");
    for (const inner of innerCommands(name, slice)) {
      if (inner.kind === "command")
        add(inner.slice, depth + 1, inner.slice.words === slice.words ? starts : new Set());
      else if (inner.kind === "anywhere") note(searchWords(inner.slice, within));
      else addScript(inner.text, inner.input, depth + 1);
    }
  }

  function addScript(text: string, input: string | null, depth: number): void {
    const scanned = scan(text);
    if (scanned === null) note("unread");
    for (const command of scanned?.commands ?? [])
      add(wholeCommand(command.words, command.input ?? input), depth, new Set());
  }

  function add(whole: CommandSlice, depth: number, starts: Set<number>): void {
    const slice = withoutExpansions(whole);
    if (slice.from >= slice.to || starts.has(slice.from)) return;
    starts.add(slice.from);
    pending.push({ slice, depth, starts });
  }
}

/** An expansion in place of a program may be empty, or execute the following words. */
function withoutExpansions(slice: CommandSlice): CommandSlice {
  let { from } = slice;
  while (from < slice.to && slice.words[from]?.startsWith(EXPANSION) === true) from += 1;
  return from === slice.from ? slice : { ...slice, from };
}

/** Treats every word as a possible program, to which a rule may apply. */
function searchWords({ words, from, to, input }: CommandSlice, within: CommandSlice[]): Danger | null {
  let danger: Danger | null = null;
  let hasRemoval = false;
  for (let at = from; at < to; at += 1) {
    within.push({ words, from: at, to, input });
    if (hasRemoval && isForce(words[at] ?? "")) return "forcedRemoval";
    const name = programName(words, at);
    hasRemoval ||= isRemoval(name);
    if (hasRemoval || isShell(name) || findWrapper(name) !== null) danger = "unknown";
  }
  return danger;
}

function isRemoval(name: string): boolean {
  return name === "rm" || name === "grm";
}

function isForced({ words, from, to }: CommandSlice): boolean {
  for (let at = from + 1; at < to; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") return false;
    if (isForce(word)) return true;
  }
  return false;
}

/** `--force` or an abbreviation of it, and `f` in any group of short options. */
function isForce(word: string): boolean {
  if (word.startsWith("--")) return word.length > 2 && "--force".startsWith(word);
  return word.startsWith("-") && word.includes("f");
}
