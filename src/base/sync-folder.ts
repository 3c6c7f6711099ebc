import { open } from "node:fs/promises";

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
