/**
 * Watches one path for changes: a file, a folder with its direct children, or a path that does not exist yet.
 * The watch is always on a folder, because a watch on a file is lost when the file is replaced.
 */
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { inBackground } from "../../base/tasks.ts";
import { nearestFolder, watchFolder } from "../../base/watch-folder.ts";

export interface PathWatchOptions {
  /** Absolute. Changes are reported under this path, even if it contains symlinks. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with sorted paths without duplicates. */
  readonly onChange: (paths: string[]) => void;
}

export interface PathWatch {
  /** No change is reported after this. */
  close(): void;
}

/** Changes within this time after the first one are reported together. */
export const COALESCE_MS = 200;
/**
 * If there are more changed paths, only the watched path is reported, and the client reads all of it again.
 */
export const MAX_PATHS_AT_ONCE = 1000;

/** A folder to watch, and the entry that is relevant; null for all entries. */
interface WatchTarget {
  readonly folder: string;
  readonly name: string | null;
}

/** Resolves when changes are being detected. */
export async function openPathWatch(options: PathWatchOptions): Promise<PathWatch> {
  const { path, clock, log, onChange } = options;
  const posts = new Map<string, () => void>();
  const changed = new Set<string>();
  let isClosed = false;
  let existed = false;
  let cancelReport: (() => void) | null = null;
  let isUpdating = false;
  let isStale = false;

  function addChange(what: string): void {
    if (isClosed) return;
    changed.add(what);
    cancelReport ??= clock.after(COALESCE_MS, () => {
      cancelReport = null;
      const paths = changed.size > MAX_PATHS_AT_ONCE ? [path] : [...changed].sort();
      changed.clear();
      onChange(paths);
    });
  }

  function receive({ name: wanted }: WatchTarget, name: string | null): void {
    if (wanted === null && name !== null && name !== basename(path)) addChange(join(path, name));
    else if (wanted === null || name === wanted || name === null) addSelf();
    inBackground(log, "watching a path", updateWatches());
  }

  /** An entry on the way to a path that does not exist is no change of the path. */
  function addSelf(): void {
    if (existed) addChange(path);
  }

  /**
   * Updates the watches until the file system no longer changes in between. Concurrent calls are coalesced.
   */
  async function updateWatches(): Promise<void> {
    isStale = true;
    if (isClosed || isUpdating) return;
    isUpdating = true;
    try {
      while (isStale) {
        isStale = false;
        const plan = await planTargets(path);
        if (follow(plan.posts)) isStale = true;
        if (plan.exists !== existed) {
          existed = plan.exists;
          addChange(path);
        }
      }
    } finally {
      isUpdating = false;
    }
  }

  /** True if a new folder is watched, because changes in it may have been missed. */
  function follow(wanted: ReadonlyMap<string, WatchTarget>): boolean {
    for (const [key, endWatch] of posts) {
      if (wanted.has(key)) continue;
      posts.delete(key);
      endWatch();
    }
    const fresh = [...wanted].filter(([key]) => !posts.has(key));
    return fresh.map(([key, post]) => open(key, post)).includes(true);
  }

  function open(key: string, post: WatchTarget): boolean {
    if (isClosed) return false;
    const { folder } = post;
    const onError = (error: Error) => log.debug("a watch has ended", { folder, error: error.message });
    try {
      posts.set(
        key,
        watchFolder(folder, (_, name) => receive(post, name), onError),
      );
      return true;
    } catch (error) {
      log.warn("a folder cannot be watched", { folder, error: String(error) });
      return false;
    }
  }

  existed = (await planTargets(path)).exists;
  await updateWatches();
  return {
    close() {
      isClosed = true;
      cancelReport?.();
      for (const endWatch of posts.values()) endWatch();
      posts.clear();
    },
  };
}

interface Plan {
  readonly exists: boolean;
  readonly posts: ReadonlyMap<string, WatchTarget>;
}

async function planTargets(path: string): Promise<Plan> {
  const about = await stat(path).catch(() => null);
  if (about === null) return { exists: false, posts: await byIdentity([await missingTarget(path)]) };
  const self = { folder: dirname(path), name: basename(path) };
  if (about.isDirectory())
    return { exists: true, posts: await byIdentity([{ folder: path, name: null }, self]) };
  const real = await realpath(path).catch(() => path);
  return { exists: true, posts: await byIdentity([self, { folder: dirname(real), name: basename(real) }]) };
}

/** The nearest existing folder, and the missing entry in it. */
async function missingTarget(path: string): Promise<WatchTarget> {
  const { folder, entry } = await nearestFolder(path);
  return { folder, name: basename(entry) };
}

/** A folder that was removed and created again needs a new watch, although its path is the same. */
async function byIdentity(posts: readonly WatchTarget[]): Promise<ReadonlyMap<string, WatchTarget>> {
  const entries = await Promise.all(
    posts.map(async (post) => {
      const about = await stat(post.folder).catch(() => null);
      const key = `${about?.dev}:${about?.ino}:${about?.birthtimeMs}:${post.name ?? "/"}`;
      return [key, post] as const;
    }),
  );
  return new Map(entries.reverse());
}
