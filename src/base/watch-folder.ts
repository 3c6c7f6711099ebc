/** Watches one folder, not recursively, without keeping the process alive. */
import { watch } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";

/** `change`: a file has new content. `rename`: an entry was created or removed. The name may be unknown. */
export type FolderListener = (event: "rename" | "change", name: string | null) => void;

/** The returned function ends the watch. Throws if the folder cannot be watched. */
export type WatchFolder = (
  folder: string,
  onEvent: FolderListener,
  onError: (error: Error) => void,
) => () => void;

export const watchFolder: WatchFolder = (folder, onEvent, onError) => {
  const watcher = watch(folder, { persistent: false });
  watcher.on("change", (event, name) => {
    onEvent(event === "rename" ? "rename" : "change", typeof name === "string" ? name : null);
  });
  watcher.on("error", onError);
  return () => watcher.close();
};

/** The nearest existing parent folder of a path, and the path directly below that folder. */
export async function nearestFolder(
  path: string,
): Promise<{ readonly folder: string; readonly entry: string }> {
  const folder = dirname(path);
  const stats = await stat(folder).catch(() => null);
  return stats?.isDirectory() === true || folder === path ? { folder, entry: path } : nearestFolder(folder);
}
