/** Where the repository of a worktree or submodule really is. */
import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readTextSync } from "../base/read-regular-file.ts";

const MAX_BYTES = 8192;

/**
 * The folders that a `.git` file points to: its own git folder, and the one that it shares with the main worktree,
 * which holds the hooks. Nothing where `.git` is a folder, or is not there.
 */
export function gitFolders(dotGit: string): string[] {
  const pointer = readTextSync(dotGit, MAX_BYTES)
    ?.trim()
    .match(/^gitdir:\s*(.+)$/)?.[1];
  if (pointer === undefined) return [];
  const own = resolve(dirname(dotGit), pointer);
  const shared = readTextSync(join(own, "commondir"), MAX_BYTES);
  const folders = shared === null ? [own] : [own, resolve(own, shared.trim())];
  return folders.flatMap(realPath);
}

function realPath(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}
