import { accessSync, constants, realpathSync, statSync } from "node:fs";
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

export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // A name that is too long, or leads through a file.
    return false;
  }
}

/** Whether this user can run the file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
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
