/** What a command does, for clients to show: a list of simple actions, or one unknown where it is more than that. */
import { basename, join, resolve } from "node:path";
import { joinWords, splitWords } from "../../../base/shlex.ts";
import type { CommandAction } from "../../../protocol/generated/types.ts";
import { isFormatting } from "./formatting-command.ts";
import { plainCommands } from "./plain-commands.ts";
import { summarizeCommand } from "./summarize-command.ts";

const SHELLS = new Set(["bash", "zsh", "sh"]);

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

/** The script that an argument vector has a shell run. */
function scriptOf([shell = "", flag = "", script, ...more]: readonly string[]): string | null {
  const isShell = SHELLS.has(basename(shell)) && (flag === "-lc" || flag === "-c");
  return isShell && more.length === 0 ? (script ?? null) : null;
}

function isSame(one: CommandAction, other: CommandAction | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function scriptActions(script: string): CommandAction[] {
  const unknown: CommandAction = { type: "unknown", command: script };
  const all = plainCommands(script);
  if (all === null || all.length === 0) return [unknown];
  const telling = all.filter((words) => !isFormatting(words));
  if (telling.length === 0) return [unknown];
  const actions = simplify(followFolders(telling));
  const [only] = actions;
  return actions.length === 1 && only !== undefined ? [attribute(only, script, all.length > 1)] : actions;
}

/** Summaries in order, with files found from the folder that a `cd` before them went to. */
function followFolders(commands: readonly (readonly string[])[]): CommandAction[] {
  const actions: CommandAction[] = [];
  let folder: string | null = null;
  for (const words of commands) {
    if (words[0] === "cd") {
      const target = cdTarget(words.slice(1));
      if (target !== null) folder = folder === null || target.startsWith("/") ? target : join(folder, target);
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

/** Leaves out what does not count beside something else: a leading `echo`, `true`, and `nl` in a pipe. */
function simplify(actions: readonly CommandAction[]): CommandAction[] {
  let left = [...actions];
  if (left.length > 1)
    left = left.filter((action) => !isUnknown(action, (words) => words.join(" ") === "true"));
  while (left.length > 1) {
    const at = isUnknown(left[0], ([head]) => head === "echo")
      ? 0
      : left.findIndex((action) =>
          isUnknown(action, ([head, ...rest]) => head === "nl" && rest.every((word) => word.startsWith("-"))),
        );
    if (at < 0) break;
    left = left.toSpliced(at, 1);
  }
  return left;
}

function isUnknown(action: CommandAction | undefined, test: (words: string[]) => boolean): boolean {
  return action?.type === "unknown" && test(splitWords(action.command) ?? []);
}

/** The one action that is left stands for the whole script where the script has nothing else in it. */
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
