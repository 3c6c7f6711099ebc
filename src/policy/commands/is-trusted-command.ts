/**
 * The allow list of read-only commands. A command that is not described here is not trusted, whatever its name.
 */
import { type Redirection, scriptOf } from "../shell/parse-shell.ts";
import type { CommandReader } from "./command-reader.ts";

/** Programs in other folders may be impostors with the same name. */
const SYSTEM_PROGRAM = /^(?:\/usr)?\/bin\/([^/]+)$/;

/**
 * Whether a command only reads and prints. A shell call is trusted if its whole script consists of such commands; a
 * script with anything uncertain is not.
 */
export function isTrustedCommand(
  reader: Pick<CommandReader, "parse">,
  argv: readonly string[],
  platform: NodeJS.Platform = process.platform,
): boolean {
  const script = scriptOf(argv);
  if (script === null) return isTrustedCall(argv, platform);
  if (systemProgramName(argv[0]) === null) return false;
  const parsed = reader.parse(script);
  if (parsed === null || parsed.commands.length === 0 || !parsed.redirections.every(isHarmless)) return false;
  return parsed.commands.every((words) => isTrustedCall(words, platform));
}

function isTrustedCall([program, ...args]: readonly string[], platform: NodeJS.Platform): boolean {
  const name = systemProgramName(program);
  return name !== null && isTrustedProgram(name, args, platform);
}

function systemProgramName(program: string | undefined): string | null {
  if (program === undefined || !program.includes("/")) return program ?? null;
  return SYSTEM_PROGRAM.exec(program)?.[1] ?? null;
}

/** Writes only to /dev/null, and reads from no other device: in bash, /dev/tcp is the network. */
function isHarmless({ operator, target }: Redirection): boolean {
  if (operator === ">&" || operator === "<&") return /^\d$/.test(target);
  if (operator === "<") return target === "/dev/null" || (target !== "" && !target.includes("/dev"));
  return target === "/dev/null";
}

type Arguments = readonly string[];

/** Programs that only read and print with any options. */
const READ_ONLY_PROGRAMS = new Set(
  "cat cd cut echo expr false grep head id ls nl paste pwd rev seq stat tail tr true uname wc which whoami".split(
    " ",
  ),
);
/** On other systems these are missing or not the GNU versions. */
const READ_ONLY_PROGRAMS_ON_LINUX = new Set(["numfmt", "tac"]);

const FIND_ACTIONS = new Set("-exec -execdir -ok -okdir -delete -fls -fprint -fprint0 -fprintf".split(" "));
/** Options of rg that start another program. */
const RG_PROGRAMS = /^--(?:pre|hostname-bin)(?:=|$)|^--search-zip$/;
/** Short options of rg that consume the rest of the word as their value. */
const RG_VALUES = "ABCEMTdefgjmrt";
const SED_LINES = /^\d+(?:,\d+)?p$/;

/** Programs with options that write files or start programs. */
const CONDITIONALLY_READ_ONLY: Readonly<Record<string, (args: Arguments) => boolean>> = {
  base64: (args) => !args.some((arg) => arg.startsWith("--o") || /^-[^-]*o/.test(arg)),
  find: (args) => !args.some((arg) => FIND_ACTIONS.has(arg)),
  rg: (args) => !args.some((arg) => RG_PROGRAMS.test(arg) || searchesArchives(arg)),
  sed: readsLines,
  uniq: writesNoFile,
};

/** Whether the program only reads files and prints with these arguments. */
function isTrustedProgram(name: string, args: Arguments, platform: NodeJS.Platform): boolean {
  if (READ_ONLY_PROGRAMS.has(name)) return true;
  if (platform === "linux" && READ_ONLY_PROGRAMS_ON_LINUX.has(name)) return true;
  return Object.hasOwn(CONDITIONALLY_READ_ONLY, name) && CONDITIONALLY_READ_ONLY[name]?.(args) === true;
}

/** `-z` of rg, also in the middle of a group such as `-nz`. */
function searchesArchives(arg: string): boolean {
  if (!/^-[^-]/.test(arg)) return false;
  for (const letter of arg.slice(1)) {
    if (letter === "z") return true;
    if (RG_VALUES.includes(letter)) return false;
  }
  return false;
}

/** `sed -n 10,20p file` and nothing else: other scripts can write files and start programs. */
function readsLines([quiet, lines = "", ...files]: Arguments): boolean {
  return (
    quiet === "-n" &&
    SED_LINES.test(lines) &&
    files.length <= 1 &&
    !files.some((file) => file.startsWith("-"))
  );
}

/** The second operand of uniq is its output file. */
function writesNoFile(args: Arguments): boolean {
  const operands = args.filter((arg, index) => !/^-./.test(arg) && !/^-[fsw]$/.test(args[index - 1] ?? ""));
  return operands.length <= 1 && !args.includes("--");
}
