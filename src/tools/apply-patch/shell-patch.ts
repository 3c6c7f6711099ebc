/**
 * Recognises patches that models send through the shell, so that they are shown, approved and applied as
 * patches. Only whole commands of two forms count, since anything more would be left out:
 *
 *     apply_patch <<'EOF'
 *     cd folder && apply_patch <<'EOF'
 *
 * with the heredoc as the end of the script. All else is for the shell.
 */
import { parsePatch } from "./parse-patch.ts";

export type ShellPatch =
  | { readonly kind: "none" }
  /** `folder` is relative to the command's working folder. */
  | { readonly kind: "patch"; readonly text: string; readonly folder: string | undefined }
  /** The command was meant as a patch; the model receives the error. */
  | { readonly kind: "refused"; readonly text: string; readonly message: string };

const NAMES = new Set(["apply_patch", "applypatch"]);
const UNIX_SHELLS = new Set(["bash", "sh", "zsh"]);
const UNIX_FLAGS = new Set(["-c", "-lc"]);
const POWERSHELLS = new Set(["powershell", "pwsh"]);
const IMPLICIT = 'patch detected without explicit call to apply_patch. Rerun as ["apply_patch", "<patch>"]';

// Words that the shell would expand are left to the shell.
const FOLDER =
  /"(?<double>[^"$`\\]+)"|'(?<single>[^']*)'|(?<word>[^\s"'$`;&|<>(){}[\]*?\\~#-][^\s"'$`;&|<>(){}[\]*?\\]*)/;
const DELIMITER = /'(?<quoted>[^'\r\n]+)'|"(?<doubled>[^"\r\n$`\\]+)"|\\?(?<plain>\w[\w.-]*)/;
const COMMAND = new RegExp(
  [
    /^\s*/,
    `(?:cd[ \\t]+(?:${FOLDER.source})[ \\t]*&&\\s*)?`,
    /(?:apply_patch|applypatch)(?:[ \t]+-)?[ \t]*<<(?<tabs>-?)[ \t]*/,
    `(?:${DELIMITER.source})`,
    /[ \t]*\r?\n/,
  ]
    .map((part) => (typeof part === "string" ? part : part.source))
    .join(""),
);

export function parseShellApplyPatch(argv: readonly string[]): ShellPatch {
  const [program, body] = argv;
  if (argv.length === 1 && program !== undefined && isPatch(program)) return refusal(program, IMPLICIT);
  if (argv.length === 2 && program !== undefined && body !== undefined && NAMES.has(program)) {
    return checked(body, undefined);
  }
  const script = scriptOf(argv);
  if (script === undefined) return { kind: "none" };
  if (isPatch(script)) return refusal(script, IMPLICIT);
  return readScript(script);
}

function readScript(script: string): ShellPatch {
  const match = COMMAND.exec(script);
  if (match === null) return { kind: "none" };
  const { double, single, word, tabs, quoted, doubled, plain } = match.groups ?? {};
  const lines = script
    .slice(match[0].length)
    .split("\n")
    .map((line) => bodyLine(line, tabs === "-"));
  const end = lines.indexOf(quoted ?? doubled ?? plain ?? "");
  if (end === -1 || lines.slice(end + 1).some((line) => line.trim() !== "")) return { kind: "none" };
  return checked(lines.slice(0, end).join("\n"), double ?? single ?? word);
}

/** `<<-` strips leading tabs. */
function bodyLine(line: string, withoutTabs: boolean): string {
  const text = line.replace(/\r$/, "");
  return withoutTabs ? text.replace(/^\t+/, "") : text;
}

function checked(text: string, folder: string | undefined): ShellPatch {
  const parsed = parsePatch(text);
  return parsed.kind === "invalid" ? refusal(text, parsed.message) : { kind: "patch", text, folder };
}

function refusal(text: string, reason: string): ShellPatch {
  return { kind: "refused", text, message: `apply_patch verification failed: ${reason}` };
}

function isPatch(text: string): boolean {
  return parsePatch(text).kind === "patch";
}

function scriptOf(argv: readonly string[]): string | undefined {
  const [shell = "", ...rest] = argv;
  const name = shellName(shell);
  const isPowershell = POWERSHELLS.has(name);
  const skips = rest.length === 3 && isPowershell && rest[0]?.toLowerCase() === "-noprofile";
  const [flag = "", script, ...more] = skips ? rest.slice(1) : rest;
  if (more.length > 0) return undefined;
  if (UNIX_SHELLS.has(name)) return UNIX_FLAGS.has(flag) ? script : undefined;
  const expected = isPowershell ? "-command" : "/c";
  return (isPowershell || name === "cmd") && flag.toLowerCase() === expected ? script : undefined;
}

/** The program's name without directory and extension. */
function shellName(program: string): string {
  const base = program.slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1);
  const dot = base.lastIndexOf(".");
  return (dot > 0 ? base.slice(0, dot) : base).toLowerCase();
}
