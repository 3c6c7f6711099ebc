import { basename } from "node:path";
import type { ShellGrammar } from "../shell/shell-grammar.ts";
import { commandsWithin } from "./commands-within.ts";

/** Why a command is never run unasked: it forces removal, or hides in too many wrappers to tell. */
export type Danger = "forcedRemoval" | "unknown";

/** Looks for a dangerous command in this one and in all that it is seen to run. */
export function findDanger(grammar: ShellGrammar, argv: readonly string[]): Danger | null {
  for (const command of commandsWithin(grammar, argv)) {
    if (command === null) return "unknown";
    const [program = "", ...args] = command;
    if (basename(program) === "rm" && isForced(args)) return "forcedRemoval";
  }
  return null;
}

function isForced(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  return options.some((arg) => (arg.length > 2 && "--force".startsWith(arg)) || /^-[^-].*f|^-f/s.test(arg));
}
