import { parseShell } from "../shell/parse-shell.ts";
import { scriptOf } from "../shell/shell-call.ts";
import type { ShellGrammar } from "../shell/shell-grammar.ts";
import { innerCommands } from "./inner-commands.ts";

const MAX_WRAPPERS = 8;

/** A command, and after it all that it is seen to run; null where more may hide in too many wrappers. */
export function* commandsWithin(
  grammar: ShellGrammar,
  argv: readonly string[],
  depth = 0,
): Generator<readonly string[] | null> {
  if (depth > MAX_WRAPPERS) {
    yield null;
    return;
  }
  yield argv;
  const script = scriptOf(argv);
  const within = script === null ? innerCommands(argv) : literalCommands(grammar, script);
  for (const command of within) yield* commandsWithin(grammar, command, depth + 1);
}

/** What the script says for certain of each command; a script with errors is searched too, because shells begin before they read all. */
function literalCommands(grammar: ShellGrammar, script: string): string[][] {
  return parseShell(grammar, script)
    .commands.filter(({ words }) => typeof words[0] === "string")
    .map(({ words }) => words.filter((word) => word !== null));
}
