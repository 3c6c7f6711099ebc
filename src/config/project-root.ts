/**
 * Where a project begins: at the nearest folder above that has a marker, such as the `.git` of a repository. The checkout
 * that a folder belongs to, and the main repository behind a linked worktree, are found from the files that git keeps,
 * without running git.
 */
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { readRegularFile } from "../base/read-regular-file.ts";

/** The names that mark the root of a project, as the layers below the project's own say. */
export function rootMarkersOf(config: Readonly<Record<string, unknown>>): readonly string[] {
  const markers = config["project_root_markers"];
  if (!Array.isArray(markers)) return [".git"];
  return markers.filter((marker) => typeof marker === "string");
}

/** From the root of the project down to the folder; the folder alone where no root is marked. */
export async function findProjectFolders(cwd: string, markers: readonly string[]): Promise<string[]> {
  const ancestors = ancestorsOf(cwd);
  const marked = await Promise.all(ancestors.map((folder) => hasMarker(folder, markers)));
  return ancestors.slice(0, Math.max(marked.indexOf(true), 0) + 1).toReversed();
}

async function hasMarker(folder: string, markers: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    markers.map((marker) => (marker === ".git" ? gitEntry(folder) : kindOf(path.join(folder, marker)))),
  );
  return found.some((kind) => kind !== undefined);
}

export interface GitRoots {
  /** The folder with the `.git` entry. */
  readonly checkout: string;
  /** The main checkout: the same folder, except for linked worktrees. Absent for odd layouts. */
  readonly repository?: string;
}

const MAX_POINTER_BYTES = 64 * 1024;

export async function findGitRoots(folder: string): Promise<GitRoots | undefined> {
  const candidates = ancestorsOf(folder);
  const kinds = await Promise.all(candidates.map(gitEntry));
  const nearest = kinds.findIndex((kind) => kind !== undefined);
  const checkout = candidates[nearest];
  if (checkout === undefined) return undefined;
  if (kinds[nearest] === "folder") return { checkout, repository: checkout };
  const repository = await mainRepository(checkout, path.join(checkout, ".git"));
  return repository === undefined ? { checkout } : { checkout, repository };
}

/** A `.git` folder counts once git has set it up. */
export async function gitEntry(folder: string): Promise<"file" | "folder" | undefined> {
  const dotGit = path.join(folder, ".git");
  const kind = await kindOf(dotGit);
  if (kind !== "folder") return kind;
  return (await kindOf(path.join(dotGit, "HEAD"))) === undefined ? undefined : kind;
}

export function ancestorsOf(folder: string): string[] {
  const ancestors = [folder];
  for (let current = folder; path.dirname(current) !== current; ) {
    current = path.dirname(current);
    ancestors.push(current);
  }
  return ancestors;
}

export async function kindOf(file: string): Promise<"file" | "folder" | undefined> {
  try {
    const stats = await stat(file);
    return stats.isDirectory() ? "folder" : "file";
  } catch {
    // Whatever cannot be looked at is not there for us.
    return undefined;
  }
}

/**
 * A worktree's `.git` file names its folder below `.git/worktrees` of the main repository, and that
 * folder must point back: else anybody could claim to be a worktree of a trusted repository.
 */
async function mainRepository(checkout: string, dotGit: string): Promise<string | undefined> {
  try {
    const pointer = /^gitdir:\s*(.+?)\s*$/m.exec(await readSmall(dotGit))?.[1];
    if (pointer === undefined) return undefined;
    const gitDir = await realpath(path.resolve(checkout, pointer));
    if (path.basename(path.dirname(gitDir)) !== "worktrees") return undefined;
    const common = path.dirname(path.dirname(gitDir));
    const [back, commonDir] = await Promise.all([
      readSmall(path.join(gitDir, "gitdir")),
      readSmall(path.join(gitDir, "commondir")),
    ]);
    const backFile = path.resolve(gitDir, back.trim());
    if (path.basename(backFile) !== ".git") return undefined;
    const [registered, actual, linked] = await Promise.all([
      realpath(path.dirname(backFile)),
      realpath(checkout),
      realpath(path.resolve(gitDir, commonDir.trim())),
    ]);
    return registered === actual && linked === common ? path.dirname(common) : undefined;
  } catch {
    return undefined;
  }
}

async function readSmall(file: string): Promise<string> {
  const read = await readRegularFile(file, { maxBytes: MAX_POINTER_BYTES, from: "own" });
  if (read.kind === "refused") throw new Error(`${file} cannot be a pointer of git: ${read.message}`);
  return read.bytes.toString("utf8");
}
