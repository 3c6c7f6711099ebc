/** What git would run besides itself: by its arguments, and by the repository that it finds. */
import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularFileSync } from "../../base/read-regular-file.ts";
import { gitFolders } from "../../sandbox/bounds.ts";
import type { CommandSlice } from "./wrapper-options.ts";

/** Options before the subcommand that change nothing about what is run. */
const SAFE_OPTIONS = new Set(
  "--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --no-lazy-fetch --version -v --help -h".split(
    " ",
  ),
);
/** Long options of subcommands with which they run what they are told, or write where they are told. */
const UNSAFE_OPTIONS =
  "config config-env exec exec-path ext-diff extcmd git-dir gpg-sign open-files-in-pager output output-directory receive-pack recurse-submodules server-option template tool upload-pack work-tree".split(
    " ",
  );
/** Letters that mean the same, for the subcommands that have them. */
const UNSAFE_LETTERS: Readonly<Record<string, string>> = {
  archive: "o",
  clone: "cu",
  "format-patch": "o",
  grep: "O",
  rebase: "x",
};
/** Subcommands that exist to run or configure something. */
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

/** git understands as much of a name as tells it apart. */
function isUnsafeOption(word: string): boolean {
  const name = word.slice(2).split("=", 1)[0] ?? "";
  return UNSAFE_OPTIONS.some((option) => option.startsWith(name));
}

function hasLetter(word: string, letters: string): boolean {
  return word.startsWith("-") && letters.split("").some((letter) => word.includes(letter));
}

const MAX_CONFIG_BYTES = 1_048_576;
const MAX_INDEX_BYTES = 67_108_864;
/** The mode of an entry of the index that is a repository of its own. */
const SUBMODULE_MODE = Buffer.from([0, 0, 0xe0, 0]);
/** Settings that read other files. */
const READS_ELSEWHERE = /^\s*(?:\[\s*include|hookspath\b|worktreeconfig\b)/im;
const FILE_MONITOR = /^\s*fsmonitor\s*=?\s*(.*)$/gim;
/** Settings that name a program, and whatever begins like one. */
const PROGRAM =
  /^\s*(?:(?:askpass|clean|cmd|command|driver|editor|external|helper|pager|process|program|smudge|sshcommand|textconv)\s*=|\S+\s*=\s*"?!)(.*)$/gim;
/** A word with a path that does not begin at the root or at the user's home, and so may be one in the workspace. */
const RELATIVE_PATH = /(?:^|[\s"'=!])(?![/~])[^\s"'=!]*\//;

/**
 * False where git would use a repository that a confined command may have written, or one whose hooks, settings or
 * submodules may run what lies in the workspace.
 */
export function isRepositoryOutOfReach(cwd: string, isWritable: (path: string) => boolean): boolean {
  try {
    const dotGit = findDotGit(realpathSync.native(cwd), isWritable);
    if (dotGit === null) return false;
    const folders = statSync(dotGit).isDirectory() ? [dotGit] : gitFolders(dotGit);
    return folders.length > 0 && folders.every((folder) => !isWritable(folder) && isSelfContained(folder));
  } catch {
    return false;
  }
}

/** Null where there is none, or one that was put into the way. */
function findDotGit(cwd: string, isWritable: (path: string) => boolean): string | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    // A folder that looks like a repository without a working tree is one.
    if (existsSync(join(folder, "HEAD")) && existsSync(join(folder, "objects"))) return null;
    const dotGit = join(folder, ".git");
    if (statSync(dotGit, { throwIfNoEntry: false }) !== undefined) {
      return isWritable(dotGit) || realpathSync.native(dotGit) !== dotGit ? null : dotGit;
    }
    if (dirname(folder) === folder) return null;
  }
}

function isSelfContained(folder: string): boolean {
  return hasNoHooks(folder) && hasOwnSettings(folder) && hasNoSubmodules(folder);
}

function hasNoHooks(folder: string): boolean {
  return entriesOf(join(folder, "hooks")).every(({ name }) => name.endsWith(".sample"));
}

function hasOwnSettings(folder: string): boolean {
  const config = readUpTo(join(folder, "config"), MAX_CONFIG_BYTES);
  if (config === "unreadable") return false;
  const text = config?.toString("utf8") ?? "";
  const monitors = [...text.matchAll(FILE_MONITOR)].map(([, value = ""]) => value.trim().toLowerCase());
  const programs = [...text.matchAll(PROGRAM)].map(([, value = ""]) => value.trim());
  return (
    !READS_ELSEWHERE.test(text) &&
    monitors.every((value) => value === "true" || value === "false") &&
    !programs.some((value) => RELATIVE_PATH.test(value))
  );
}

/** git looks into a submodule by the settings that lie there. */
function hasNoSubmodules(folder: string): boolean {
  if (entriesOf(folder).some(({ name }) => name === "modules" || name.startsWith("sharedindex.")))
    return false;
  const index = readUpTo(join(folder, "index"), MAX_INDEX_BYTES);
  return index !== "unreadable" && (index === null || !index.includes(SUBMODULE_MODE));
}

function entriesOf(folder: string): Dirent[] {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
}

/** Null where it is not there. */
function readUpTo(path: string, maxBytes: number): Buffer | "unreadable" | null {
  const read = readRegularFileSync(path, { maxBytes });
  if (read.kind === "read") return read.bytes;
  return read.reason === "missing" ? null : "unreadable";
}
