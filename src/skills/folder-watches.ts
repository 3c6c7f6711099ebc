// Watches the folders of skill roots for relevant changes. Folders are watched individually and not recursively,
// because a recursive watch means one watch per file on some systems. All watches share one limit.

import { basename } from "node:path";
import type { Logger } from "../base/logger.ts";
import { type FolderListener, nearestFolder, type WatchFolder, watchFolder } from "../base/watch-folder.ts";
import { MANIFEST_FOLDERS } from "./plugin-namespace.ts";

export const MAX_WATCHED_FOLDERS = 1024;

export interface FolderWatchesOptions {
  readonly log: Logger;
  readonly onChange: (root: string) => void;
  readonly watchFolder?: WatchFolder;
  readonly limit?: number;
}

export class FolderWatches {
  readonly #options: Required<FolderWatchesOptions>;
  readonly #roots = new Map<string, Set<() => void>>();
  #count = 0;
  #hasWarned = false;

  constructor(options: FolderWatchesOptions) {
    this.#options = { watchFolder, limit: MAX_WATCHED_FOLDERS, ...options };
  }

  get size(): number {
    return this.#count;
  }

  /** Drops the watches of `root`; returns a function that adds a folder, which must be called before it is read. */
  restart(root: string): (folder: string) => void {
    this.stop(root);
    const watches = new Set<() => void>();
    this.#roots.set(root, watches);
    return (folder) => {
      this.#add({ root, watches }, folder, (event, name) => {
        if (isRelevant(event, name)) this.#options.onChange(root);
      });
    };
  }

  /** Watches for the creation of a missing root, through its nearest existing parent. */
  async awaitRoot(root: string): Promise<void> {
    const watches = this.#roots.get(root);
    const { folder, entry } = await nearestFolder(root);
    // The root may have been stopped or restarted meanwhile.
    if (watches === undefined || this.#roots.get(root) !== watches) return;
    this.#add({ root, watches }, folder, (_, name) => {
      if (name === null || name === basename(entry)) this.#options.onChange(root);
    });
  }

  stop(root: string): void {
    for (const close of this.#roots.get(root) ?? []) close();
    this.#roots.delete(root);
  }

  close(): void {
    for (const root of this.#roots.keys()) this.stop(root);
  }

  #add(
    { root, watches }: { root: string; watches: Set<() => void> },
    folder: string,
    onEvent: FolderListener,
  ): void {
    if (this.#roots.get(root) !== watches) return;
    if (this.#count >= this.#options.limit) return this.#warnOnce("too many folders");
    try {
      // A watch error most likely means that the folder was removed, which is a change.
      const end = this.#options.watchFolder(folder, onEvent, () => onEvent("rename", null));
      const close = () => {
        this.#count--;
        end();
      };
      this.#count++;
      watches.add(close);
    } catch (error) {
      this.#warnOnce(String(error));
    }
  }

  #warnOnce(reason: string): void {
    if (!this.#hasWarned)
      this.#options.log.warn("some skill folders are not watched for changes", { reason });
    this.#hasWarned = true;
  }
}

const WATCHED_FILES: readonly string[] = ["SKILL.md", "openai.yaml"];

function isRelevant(event: "rename" | "change", name: string | null): boolean {
  if (name === null) return true;
  if (event === "change") return WATCHED_FILES.includes(name);
  return !name.startsWith(".") || MANIFEST_FOLDERS.includes(name);
}
