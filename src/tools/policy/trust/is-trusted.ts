import { type ParsedCommand, parseShell, type Redirection } from "../shell/parse-shell.ts";
import { scriptOf } from "../shell/shell-call.ts";
import type { ShellGrammar } from "../shell/shell-grammar.ts";
import { isTrustedProgram } from "./trusted-programs.ts";

/** Programs elsewhere may only look like the ones that are known. */
const SYSTEM_PROGRAM = /^(?:\/usr)?\/bin\/([^/]+)$/;

/**
 * Whether a command is known to do nothing but read and print. A shell call is, when its whole script consists of
 * such commands; a script that leaves anything open is not.
 */
export function isTrusted(
  grammar: ShellGrammar,
  argv: readonly string[],
  platform: NodeJS.Platform = process.platform,
): boolean {
  const script = scriptOf(argv);
  if (script === null) return isTrustedCall(argv, platform);
  if (programName(argv[0]) === null) return false;
  const parsed = parseShell(grammar, script);
  if (!parsed.ok || parsed.shape === "complex" || parsed.commands.length === 0) return false;
  return parsed.commands.every((command) => isTrustedCommand(command, platform));
}

function isTrustedCommand(command: ParsedCommand, platform: NodeJS.Platform): boolean {
  const words = command.words.filter((word) => word !== null);
  const isSettled = words.length === command.words.length && command.assignments.length === 0;
  return isSettled && command.redirections.every(isHarmless) && isTrustedCall(words, platform);
}

function isTrustedCall([program, ...args]: readonly string[], platform: NodeJS.Platform): boolean {
  const name = programName(program);
  return name !== null && isTrustedProgram(name, args, platform);
}

function programName(program: string | undefined): string | null {
  if (program === undefined || !program.includes("/")) return program ?? null;
  return SYSTEM_PROGRAM.exec(program)?.[1] ?? null;
}

/** Nothing is written but to nowhere, and nothing is read from a device: to bash, /dev/tcp is the network. */
function isHarmless({ operator, target }: Redirection): boolean {
  if (target === null) return false;
  if (operator === ">&" || operator === "<&") return /^\d$/.test(target);
  if (operator === "<") return target === "/dev/null" || !target.includes("/dev");
  return target === "/dev/null";
}
