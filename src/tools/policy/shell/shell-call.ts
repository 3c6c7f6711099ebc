import { basename } from "node:path";
import { type ParsedShell, parseShell } from "./parse-shell.ts";
import type { ShellGrammar } from "./shell-grammar.ts";

const SHELLS = new Set(["bash", "zsh", "sh"]);

/** The script of `bash -lc <script>` and its like; null for any other command. */
export function scriptOf(argv: readonly string[]): string | null {
  const [shell, flag, script] = argv;
  if (argv.length !== 3 || shell === undefined || script === undefined) return null;
  return (flag === "-lc" || flag === "-c") && isShell(shell) ? script : null;
}

function isShell(path: string): boolean {
  return SHELLS.has(basename(path).replace(/(?<=.)\.[^.]*$/, ""));
}

/** The commands of a shell call whose script is plain and not empty; null for anything else. */
export function plainCommands(grammar: ShellGrammar, argv: readonly string[]): readonly string[][] | null {
  const script = scriptOf(argv);
  return script === null ? null : plainArguments(parseShell(grammar, script));
}

function plainArguments(parsed: ParsedShell): string[][] | null {
  if (!parsed.ok || parsed.shape !== "plain" || parsed.commands.length === 0) return null;
  return parsed.commands.map(({ words }) => words.map((word) => word ?? ""));
}
