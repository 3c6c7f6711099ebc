/** Whether what a git command in a folder would run is out of the reach of confined commands. */
import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularFileSync } from "../../base/read-regular-file.ts";
import { gitFolders } from "../../sandbox/git-folders.ts";

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
  const config = readBounded(join(folder, "config"), MAX_CONFIG_BYTES);
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
  const index = readBounded(join(folder, "index"), MAX_INDEX_BYTES);
  return index !== "unreadable" && (index === null || !index.includes(SUBMODULE_MODE));
}

function entriesOf(folder: string): Dirent[] {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
}

/** Null where it is not there. */
function readBounded(path: string, maxBytes: number): Buffer | "unreadable" | null {
  const read = readRegularFileSync(path, { maxBytes });
  if (read.kind === "read") return read.bytes;
  return read.reason === "missing" ? null : "unreadable";
}
