/**
 * Finds the project root: the nearest ancestor with a marker, such as the `.git` of a repository. The
 * checkout of a folder, and the main repository behind a linked worktree, are read from git's files, without
 * running git.
 */
import { realpathSync } from "node:fs";
import path from "node:path";
import { statOf } from "../base/file-system.ts";
import { readRegularFileSync } from "../base/read-regular-file.ts";
import type { StatOf } from "../base/tick-stats.ts";

/** The marker names of project roots, as the layers below the project's own configure them. */
export function rootMarkersOf(config: Readonly<Record<string, unknown>>): readonly string[] {
  const markers = config["project_root_markers"];
  if (!Array.isArray(markers)) return [".git"];
  return markers.filter((marker) => typeof marker === "string");
}

/** From the project root down to the folder; the folder alone where no root is marked. */
export function findProjectFolders(cwd: string, markers: readonly string[], stat: StatOf = statOf): string[] {
  const ancestors = ancestorFolders(cwd);
  const root = ancestors.findIndex((folder) => markers.some((marker) => hasMarker(folder, marker, stat)));
  return ancestors.slice(0, Math.max(root, 0) + 1).toReversed();
}

function hasMarker(folder: string, marker: string, stat: StatOf): boolean {
  return (marker === ".git" ? gitEntry(folder, stat) : kindOf(path.join(folder, marker), stat)) !== undefined;
}

export interface GitRoots {
  /** The folder with the `.git` entry. */
  readonly checkout: string;
  /** The main checkout: the same folder, except for linked worktrees. Absent for unusual layouts. */
  readonly repository?: string;
}

const MAX_POINTER_BYTES = 64 * 1024;

export function findGitRoots(folder: string, stat: StatOf = statOf): GitRoots | undefined {
  for (const checkout of ancestorFolders(folder)) {
    const kind = gitEntry(checkout, stat);
    if (kind === undefined) continue;
    const repository = kind === "folder" ? checkout : mainRepository(checkout, path.join(checkout, ".git"));
    return repository === undefined ? { checkout } : { checkout, repository };
  }
  return undefined;
}

/** A `.git` folder counts once git has initialized it. */
function gitEntry(folder: string, stat: StatOf): "file" | "folder" | undefined {
  // `path.join` parses both; threads look for this in each ancestor of their folder.
  const dotGit = folder.endsWith(path.sep) ? `${folder}.git` : `${folder}${path.sep}.git`;
  const kind = kindOf(dotGit, stat);
  return kind === "folder" && kindOf(path.join(dotGit, "HEAD"), stat) === undefined ? undefined : kind;
}

export function ancestorFolders(folder: string): string[] {
  const ancestors = [folder];
  for (let current = folder; path.dirname(current) !== current; ) {
    current = path.dirname(current);
    ancestors.push(current);
  }
  return ancestors;
}

/** Paths that cannot be read count as absent. */
export function kindOf(file: string, stat: StatOf = statOf): "file" | "folder" | undefined {
  const found = stat(file);
  if (found === null) return undefined;
  return found.isDirectory() ? "folder" : "file";
}

/**
 * A worktree's `.git` file names its folder below `.git/worktrees` of the main repository, and that folder
 * must point back: otherwise any folder could claim to be a worktree of a trusted repository.
 */
function mainRepository(checkout: string, dotGit: string): string | undefined {
  try {
    const pointer = /^gitdir:\s*(.+?)\s*$/m.exec(readSmall(dotGit))?.[1];
    if (pointer === undefined) return undefined;
    const gitDir = realpathSync.native(path.resolve(checkout, pointer));
    if (path.basename(path.dirname(gitDir)) !== "worktrees") return undefined;
    const common = path.dirname(path.dirname(gitDir));
    const backFile = path.resolve(gitDir, readSmall(path.join(gitDir, "gitdir")).trim());
    if (path.basename(backFile) !== ".git") return undefined;
    const registered = realpathSync.native(path.dirname(backFile));
    const linked = realpathSync.native(
      path.resolve(gitDir, readSmall(path.join(gitDir, "commondir")).trim()),
    );
    const isRegistered = registered === realpathSync.native(checkout);
    return isRegistered && linked === common ? path.dirname(common) : undefined;
  } catch {
    return undefined;
  }
}

function readSmall(file: string): string {
  const read = readRegularFileSync(file, { maxBytes: MAX_POINTER_BYTES });
  if (read.kind === "refused") throw new Error(`${file} cannot be a pointer of git: ${read.message}`);
  return read.bytes.toString("utf8");
}
