/**
 * Programs that only read and print, and the options with which they would do more. A command that is not
 * described here is not trusted, whatever it is called.
 */

type Arguments = readonly string[];

const HARMLESS = new Set(
  "cat cd cut echo expr false grep head id ls nl paste pwd rev seq stat tail tr true uname wc which whoami".split(
    " ",
  ),
);
/** On other systems these are missing or not the ones of GNU. */
const HARMLESS_ON_LINUX = new Set(["numfmt", "tac"]);

const FIND_ACTIONS = new Set("-exec -execdir -ok -okdir -delete -fls -fprint -fprint0 -fprintf".split(" "));
/** Options of rg that start another program. */
const RG_PROGRAMS = /^--(?:pre|hostname-bin)(?:=|$)|^--search-zip$/;
/** Short options of rg that take the rest of the word as their value. */
const RG_VALUES = "ABCEMTdefgjmrt";
const SED_LINES = /^\d+(?:,\d+)?p$/;

const CONDITIONAL: Readonly<Record<string, (args: Arguments) => boolean>> = {
  base64: (args) => !args.some((arg) => arg.startsWith("--o") || /^-[^-]*o/.test(arg)),
  find: (args) => !args.some((arg) => FIND_ACTIONS.has(arg)),
  rg: (args) => !args.some((arg) => RG_PROGRAMS.test(arg) || searchesArchives(arg)),
  sed: readsLines,
  uniq: writesNoFile,
};

/** Whether the program, called so, does nothing but read files and print. */
export function isTrustedProgram(name: string, args: Arguments, platform: NodeJS.Platform): boolean {
  if (HARMLESS.has(name)) return true;
  if (platform === "linux" && HARMLESS_ON_LINUX.has(name)) return true;
  return Object.hasOwn(CONDITIONAL, name) && CONDITIONAL[name]?.(args) === true;
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

/** A second operand of uniq is the file that it writes. */
function writesNoFile(args: Arguments): boolean {
  const operands = args.filter((arg, index) => !/^-./.test(arg) && !/^-[fsw]$/.test(args[index - 1] ?? ""));
  return operands.length <= 1 && !args.includes("--");
}
