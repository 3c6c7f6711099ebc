import type { CommandReader } from "../read-command.ts";
import type { Redirection } from "../shell/parse-shell.ts";
import { scriptOf } from "../shell/shell-call.ts";
import { isTrustedProgram } from "./trusted-programs.ts";

/** Programs elsewhere may only look like the ones that are known. */
const SYSTEM_PROGRAM = /^(?:\/usr)?\/bin\/([^/]+)$/;

/**
 * Whether a command is known to do nothing but read and print. A shell call is, when its whole script consists of
 * such commands; a script that leaves anything open is not.
 */
export function isTrusted(
  reader: Pick<CommandReader, "parse">,
  argv: readonly string[],
  platform: NodeJS.Platform = process.platform,
): boolean {
  const script = scriptOf(argv);
  if (script === null) return isTrustedCall(argv, platform);
  if (programName(argv[0]) === null) return false;
  const parsed = reader.parse(script);
  if (parsed === null || parsed.commands.length === 0 || !parsed.redirections.every(isHarmless)) return false;
  return parsed.commands.every((words) => isTrustedCall(words, platform));
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
  if (operator === ">&" || operator === "<&") return /^\d$/.test(target);
  if (operator === "<") return target === "/dev/null" || (target !== "" && !target.includes("/dev"));
  return target === "/dev/null";
}
