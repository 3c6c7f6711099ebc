/** Where the repository of a worktree or submodule really is. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const MAX_BYTES = 8192;

/**
 * The folders that a `.git` file points to: its own git folder, and the one that it shares with the main worktree,
 * which holds the hooks. Nothing where `.git` is a folder, or is not there.
 */
export function gitFolders(dotGit: string): string[] {
  const pointer = readShort(dotGit)?.match(/^gitdir:\s*(.+)$/)?.[1];
  if (pointer === undefined) return [];
  const own = resolve(dirname(dotGit), pointer);
  const shared = readShort(join(own, "commondir"));
  const folders = shared === null ? [own] : [own, resolve(own, shared)];
  return folders.flatMap(realPath);
}

/** Only regular files: reading a pipe would wait for a writer. */
function readShort(file: string): string | null {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || found.size > MAX_BYTES) return null;
    return readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}

function realPath(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}
