import { accessSync, constants, realpathSync, type Stats, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Where a path leads once all links are followed; of what does not exist, the place where it would be. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), path.slice(parent.length));
  }
}

/**
 * What is at a path; null for nothing that can be looked at. On the main thread: of what the system holds in memory, this
 * costs a tenth of the way to a thread of the pool and back.
 */
export function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    // A name that is too long, or leads through a file.
    return null;
  }
}

export function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

/** Whether this user can run the file. */
export function isExecutable(path: string): boolean {
  // Asked first: of most places in a search path there is nothing to be asked, and an error costs more than an answer.
  if (!isFile(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A new or renamed file outlives a loss of power only when its folder is on the disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } catch {
    // Not every system lets a folder be synced; the file itself is safe.
  } finally {
    await folder.close();
  }
}
