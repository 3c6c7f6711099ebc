// Watches the folders of skill roots for changes that matter. Folders are watched one by one and not as trees,
// because watching a tree means one watch per file on some systems. There is a limit for all of them together.

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
  #complained = false;

  constructor(options: FolderWatchesOptions) {
    this.#options = { watchFolder, limit: MAX_WATCHED_FOLDERS, ...options };
  }

  get size(): number {
    return this.#count;
  }

  /** Forgets what was watched for `root`; returns how to add folders anew, each before it is read. */
  restart(root: string): (folder: string) => void {
    this.stop(root);
    const watches = new Set<() => void>();
    this.#roots.set(root, watches);
    return (folder) => {
      this.#add({ root, watches }, folder, (event, name) => {
        if (matters(event, name)) this.#options.onChange(root);
      });
    };
  }

  /** Waits for a root that does not exist to come into being, through the nearest folder that does. */
  async awaitRoot(root: string): Promise<void> {
    const watches = this.#roots.get(root);
    const { folder, entry } = await nearestFolder(root);
    // The root may have been given up or started again meanwhile.
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
    if (this.#count >= this.#options.limit) return this.#complain("too many folders");
    try {
      // A folder that can no longer be watched has most likely gone, which is a change.
      const end = this.#options.watchFolder(folder, onEvent, () => onEvent("rename", null));
      const close = () => {
        this.#count--;
        end();
      };
      this.#count++;
      watches.add(close);
    } catch (error) {
      this.#complain(String(error));
    }
  }

  #complain(reason: string): void {
    if (!this.#complained)
      this.#options.log.warn("some skill folders are not watched for changes", { reason });
    this.#complained = true;
  }
}

const FILES_THAT_MATTER: readonly string[] = ["SKILL.md", "openai.yaml"];

function matters(event: "rename" | "change", name: string | null): boolean {
  if (name === null) return true;
  if (event === "change") return FILES_THAT_MATTER.includes(name);
  return !name.startsWith(".") || MANIFEST_FOLDERS.includes(name);
}
