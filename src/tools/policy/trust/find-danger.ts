import { basename } from "node:path";
import { parseShell } from "../shell/parse-shell.ts";
import { scriptOf } from "../shell/shell-call.ts";
import type { ShellGrammar } from "../shell/shell-grammar.ts";
import { innerCommands } from "./inner-commands.ts";

/** Why a command is never run unasked: it forces removal, or hides in too many wrappers to tell. */
export type Danger = "forcedRemoval" | "unknown";

const MAX_WRAPPERS = 8;

/** Looks for a dangerous command in this one and in all that it is seen to run. */
export function findDanger(grammar: ShellGrammar, argv: readonly string[], depth = 0): Danger | null {
  if (depth > MAX_WRAPPERS) return "unknown";
  if (basename(argv[0] ?? "") === "rm" && isForced(argv.slice(1))) return "forcedRemoval";
  const script = scriptOf(argv);
  const within = script === null ? innerCommands(argv) : literalCommands(grammar, script);
  for (const command of within) {
    const danger = findDanger(grammar, command, depth + 1);
    if (danger !== null) return danger;
  }
  return null;
}

function isForced(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  return options.some((arg) => (arg.length > 2 && "--force".startsWith(arg)) || /^-[^-].*f|^-f/s.test(arg));
}

/** What the script says for certain of each command; a script with errors is searched too, because shells begin before they read all. */
function literalCommands(grammar: ShellGrammar, script: string): string[][] {
  return parseShell(grammar, script)
    .commands.filter(({ words }) => typeof words[0] === "string")
    .map(({ words }) => words.filter((word) => word !== null));
}
