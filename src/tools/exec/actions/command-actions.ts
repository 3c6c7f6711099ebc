/**
 * Summarizes a command for clients: a list of simple actions, or one unknown action for anything more
 * complex.
 */
import { basename, join, resolve } from "node:path";
import { joinWords, splitWords } from "../../../base/shlex.ts";
import type { CommandAction } from "../../../protocol/generated/types.ts";
import { plainCommands } from "./plain-commands.ts";
import { isFormatting, summarizeCommand } from "./summarize-command.ts";

const SHELLS = new Set(["bash", "zsh", "sh"]);
/** Longer scripts are shown as one action, because each action could repeat a long path. */
const MAX_CHARACTERS = 65_536;
const MAX_COMMANDS = 256;
/** The longest path that operating systems accept. */
const MAX_PATH = 4096;

/** The actions of an argument vector such as `["/bin/bash", "-lc", script]`; paths are resolved against `cwd`. */
export function commandActions(argv: readonly string[], cwd: string): CommandAction[] {
  const script = scriptOf(argv);
  const actions = script === null ? [summarizeCommand(argv)] : scriptActions(script);
  if (actions.some(({ type }) => type === "unknown")) {
    return [{ type: "unknown", command: script ?? joinWords(argv) }];
  }
  const seen = actions.filter((action, at) => at === 0 || !isSame(action, actions[at - 1]));
  return seen.map((action) =>
    action.type === "read" ? { ...action, path: resolve(cwd, action.path) } : action,
  );
}

/** The script that the argument vector passes to a shell. */
function scriptOf([shell = "", flag = "", script, ...more]: readonly string[]): string | null {
  const isShell = SHELLS.has(basename(shell)) && (flag === "-lc" || flag === "-c");
  return isShell && more.length === 0 ? (script ?? null) : null;
}

function isSame(one: CommandAction, other: CommandAction | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function scriptActions(script: string): CommandAction[] {
  const unknown: CommandAction = { type: "unknown", command: script };
  const all = script.length > MAX_CHARACTERS ? null : plainCommands(script);
  if (all === null || all.length === 0 || all.length > MAX_COMMANDS) return [unknown];
  const meaningful = all.filter((words) => !isFormatting(words));
  if (meaningful.length === 0) return [unknown];
  const followed = followFolders(meaningful);
  if (followed === null) return [unknown];
  const actions = simplify(followed);
  const [only] = actions;
  return actions.length === 1 && only !== undefined ? [attribute(only, script, all.length > 1)] : actions;
}

/**
 * Summaries in order, with paths resolved against preceding `cd` commands; null where a `cd` target is
 * unknown.
 */
function followFolders(commands: readonly (readonly string[])[]): CommandAction[] | null {
  const actions: CommandAction[] = [];
  let folder: string | null = null;
  for (const words of commands) {
    if (words[0] === "cd") {
      const target = cdTarget(words.slice(1));
      if (target !== null) folder = folder === null || target.startsWith("/") ? target : join(folder, target);
      if (folder !== null && folder.length > MAX_PATH) return null;
      continue;
    }
    const action = summarizeCommand(words);
    const inFolder = action.type === "read" && folder !== null;
    actions.push(inFolder ? { ...action, path: resolveIn(folder ?? "", action.path) } : action);
  }
  return actions;
}

function resolveIn(folder: string, path: string): string {
  return path.startsWith("/") ? path : join(folder, path);
}

function cdTarget(args: readonly string[]): string | null {
  const end = args.indexOf("--");
  if (end >= 0) return args[end + 1] ?? null;
  return args.findLast((arg) => !arg.startsWith("-")) ?? null;
}

/** Drops actions that are irrelevant beside others: a leading `echo`, `true`, and `nl` in a pipe. */
function simplify(actions: readonly CommandAction[]): CommandAction[] {
  const parts = actions.map((action) => ({ action, role: roleOf(action) }));
  const left = parts.length > 1 ? parts.filter(({ role }) => role !== "true") : parts;
  while (left.length > 1) {
    const at = left[0]?.role === "echo" ? 0 : left.findIndex(({ role }) => role === "nl");
    if (at < 0) break;
    left.splice(at, 1);
  }
  return left.map(({ action }) => action);
}

function roleOf(action: CommandAction): "true" | "echo" | "nl" | null {
  if (action.type !== "unknown") return null;
  const [head, ...rest] = splitWords(action.command) ?? [];
  if (head === "echo") return "echo";
  if (head === "true" && rest.length === 0) return "true";
  return head === "nl" && rest.every((word) => word.startsWith("-")) ? "nl" : null;
}

/** A single remaining action represents the whole script if nothing else was in it. */
function attribute(action: CommandAction, script: string, hadMore: boolean): CommandAction {
  const words = splitWords(script) ?? [script];
  const hadConnectors = hadMore || words.some((word) => ["|", "&&", "||", ";"].includes(word));
  if (action.type === "unknown") return action;
  if (!hadConnectors) return { ...action, command: joinWords(words) };
  const showsRange = words.some((word, at) => word === "sed" && words[at + 1] === "-n");
  return action.type === "read" && words.includes("|") && showsRange
    ? { ...action, command: script }
    : action;
}
