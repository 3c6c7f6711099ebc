/** Detects what git would execute besides itself, because of its arguments or the repository that it finds. */
import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularFileSync } from "../../base/read-regular-file.ts";
import { gitFolders } from "../../sandbox/bounds.ts";
import type { CommandSlice } from "./wrapper-options.ts";

/** Options before the subcommand that do not affect what is executed. */
const SAFE_OPTIONS = new Set(
  "--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --no-lazy-fetch --version -v --help -h".split(
    " ",
  ),
);
/** Long options of subcommands that name a program to execute or a path to write. */
const UNSAFE_OPTIONS =
  "config config-env exec exec-path ext-diff extcmd git-dir gpg-sign open-files-in-pager output output-directory receive-pack recurse-submodules server-option template tool upload-pack work-tree".split(
    " ",
  );
/** Short options with the same effect, by subcommand. */
const UNSAFE_LETTERS: Readonly<Record<string, string>> = {
  archive: "o",
  clone: "cu",
  "format-patch": "o",
  grep: "O",
  rebase: "x",
};
/** Subcommands whose purpose is to run or configure something. */
const UNSAFE_COMMANDS = new Set(
  "bisect config difftool filter-branch hook init instaweb maintenance mergetool p4 send-email submodule svn worktree".split(
    " ",
  ),
);

/** Whether the arguments themselves name another repository, a program to run, or a file to write. */
export function areGitArgumentsUnsafe({ words, from, to }: CommandSlice): boolean {
  let at = from + 1;
  while (at < to && words[at]?.startsWith("-") === true) {
    if (!SAFE_OPTIONS.has(words[at] ?? "")) return true;
    at += 1;
  }
  const command = words[at] ?? "";
  if (UNSAFE_COMMANDS.has(command)) return true;
  const letters = Object.hasOwn(UNSAFE_LETTERS, command) ? (UNSAFE_LETTERS[command] ?? "") : "";
  for (at += 1; at < to; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") return false;
    if (word.startsWith("--") ? isUnsafeOption(word) : hasLetter(word, letters)) return true;
  }
  return false;
}

/** git accepts unambiguous abbreviations of long options. */
function isUnsafeOption(word: string): boolean {
  const name = word.slice(2).split("=", 1)[0] ?? "";
  return UNSAFE_OPTIONS.some((option) => option.startsWith(name));
}

function hasLetter(word: string, letters: string): boolean {
  return word.startsWith("-") && letters.split("").some((letter) => word.includes(letter));
}

const MAX_CONFIG_BYTES = 1_048_576;
const MAX_INDEX_BYTES = 67_108_864;
/** The mode of a submodule entry in the index. */
const SUBMODULE_MODE = Buffer.from([0, 0, 0xe0, 0]);
/** Settings that include other files. */
const INCLUDE_SETTING = /^\s*(?:\[\s*include|hookspath\b|worktreeconfig\b)/im;
const FILE_MONITOR = /^\s*fsmonitor\s*=?\s*(.*)$/gim;
/** Settings that name a program, and values that start with `!`. */
const PROGRAM =
  /^\s*(?:(?:askpass|clean|cmd|command|driver|editor|external|helper|pager|process|program|smudge|sshcommand|textconv)\s*=|\S+\s*=\s*"?!)(.*)$/gim;
/** A relative path, outside of the user's home, which may lie in the workspace. */
const RELATIVE_PATH = /(?:^|[\s"'=!])(?![/~])[^\s"'=!]*\//;

/**
 * False if git would use a repository that a sandboxed command may have written, or one whose hooks, configuration or
 * submodules may execute workspace files.
 */
export function isRepositoryTrusted(cwd: string, isWritable: (path: string) => boolean): boolean {
  try {
    const dotGit = findDotGit(realpathSync.native(cwd), isWritable);
    if (dotGit === null) return false;
    const folders = statSync(dotGit).isDirectory() ? [dotGit] : gitFolders(dotGit);
    return folders.length > 0 && folders.every((folder) => !isWritable(folder) && isSelfContained(folder));
  } catch {
    return false;
  }
}

/** Null if there is none, or if it may have been planted. */
function findDotGit(cwd: string, isWritable: (path: string) => boolean): string | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    // git treats a folder that looks like a bare repository as one.
    if (existsSync(join(folder, "HEAD")) && existsSync(join(folder, "objects"))) return null;
    const dotGit = join(folder, ".git");
    if (statSync(dotGit, { throwIfNoEntry: false }) !== undefined) {
      return isWritable(dotGit) || realpathSync.native(dotGit) !== dotGit ? null : dotGit;
    }
    if (dirname(folder) === folder) return null;
  }
}

function isSelfContained(folder: string): boolean {
  return hasNoHooks(folder) && hasSafeConfig(folder) && hasNoSubmodules(folder);
}

function hasNoHooks(folder: string): boolean {
  return entriesOf(join(folder, "hooks")).every(({ name }) => name.endsWith(".sample"));
}

function hasSafeConfig(folder: string): boolean {
  const config = readLimited(join(folder, "config"), MAX_CONFIG_BYTES);
  if (config === "unreadable") return false;
  const text = config?.toString("utf8") ?? "";
  const monitors = [...text.matchAll(FILE_MONITOR)].map(([, value = ""]) => value.trim().toLowerCase());
  const programs = [...text.matchAll(PROGRAM)].map(([, value = ""]) => value.trim());
  return (
    !INCLUDE_SETTING.test(text) &&
    monitors.every((value) => value === "true" || value === "false") &&
    !programs.some((value) => RELATIVE_PATH.test(value))
  );
}

/** git uses a submodule's own configuration when it inspects it. */
function hasNoSubmodules(folder: string): boolean {
  if (entriesOf(folder).some(({ name }) => name === "modules" || name.startsWith("sharedindex.")))
    return false;
  const index = readLimited(join(folder, "index"), MAX_INDEX_BYTES);
  return index !== "unreadable" && (index === null || !index.includes(SUBMODULE_MODE));
}

function entriesOf(folder: string): Dirent[] {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
}

/** Null if the file is missing. */
function readLimited(path: string, maxBytes: number): Buffer | "unreadable" | null {
  const read = readRegularFileSync(path, { maxBytes });
  if (read.kind === "read") return read.bytes;
  return read.reason === "missing" ? null : "unreadable";
}
