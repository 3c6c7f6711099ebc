/**
 * Tells of changes at one path: of a file, of a folder and its direct children, or of something that is not there yet.
 * What is watched is always a folder, because a file that is replaced would take the watch on it away.
 */
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { inBackground } from "../../base/tasks.ts";
import { nearestFolder, watchFolder } from "../../base/watch-folder.ts";

export interface PathWatchOptions {
  /** Absolute, and named so in what is told, whatever links it leads through. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Sorted, each once. */
  readonly onChange: (paths: string[]) => void;
}

export interface PathWatch {
  /** Nothing is told after this. */
  close(): void;
}

/** Changes that come so soon after the first of them are told together. */
export const GATHER_MS = 200;
/** With more of them only the watched path itself is named: all of it is to be looked at again. */
export const MAX_PATHS_AT_ONCE = 1000;

/** A folder to be watched, and which of its entries matter; null for all of them. */
interface Post {
  readonly folder: string;
  readonly name: string | null;
}

/** Resolves when changes from now on are seen. */
export async function openPathWatch(options: PathWatchOptions): Promise<PathWatch> {
  const { path, clock, log, onChange } = options;
  const posts = new Map<string, () => void>();
  const changed = new Set<string>();
  let isClosed = false;
  let existed = false;
  let cancelTelling: (() => void) | null = null;
  let isSettling = false;
  let isStale = false;

  function note(what: string): void {
    if (isClosed) return;
    changed.add(what);
    cancelTelling ??= clock.after(GATHER_MS, () => {
      cancelTelling = null;
      const paths = changed.size > MAX_PATHS_AT_ONCE ? [path] : [...changed].sort();
      changed.clear();
      onChange(paths);
    });
  }

  function receive({ name: wanted }: Post, name: string | null): void {
    if (wanted === null && name !== null && name !== basename(path)) note(join(path, name));
    else if (wanted === null || name === wanted || name === null) noteSelf();
    inBackground(log, "watching a path", settle());
  }

  /** An entry on the way to something that is not there is no change of it. */
  function noteSelf(): void {
    if (existed) note(path);
  }

  /** Watches what has to be watched as things are now, again and again until they stay so. Runs once at a time. */
  async function settle(): Promise<void> {
    isStale = true;
    if (isClosed || isSettling) return;
    isSettling = true;
    try {
      while (isStale) {
        isStale = false;
        const plan = await planPosts(path);
        if (follow(plan.posts)) isStale = true;
        if (plan.exists !== existed) {
          existed = plan.exists;
          note(path);
        }
      }
    } finally {
      isSettling = false;
    }
  }

  /** True when a folder was not watched before, so that something may have happened in it unseen. */
  function follow(wanted: ReadonlyMap<string, Post>): boolean {
    for (const [key, endWatch] of posts) {
      if (wanted.has(key)) continue;
      posts.delete(key);
      endWatch();
    }
    const fresh = [...wanted].filter(([key]) => !posts.has(key));
    return fresh.map(([key, post]) => open(key, post)).includes(true);
  }

  function open(key: string, post: Post): boolean {
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

  existed = (await planPosts(path)).exists;
  await settle();
  return {
    close() {
      isClosed = true;
      cancelTelling?.();
      for (const endWatch of posts.values()) endWatch();
      posts.clear();
    },
  };
}

interface Plan {
  readonly exists: boolean;
  readonly posts: ReadonlyMap<string, Post>;
}

async function planPosts(path: string): Promise<Plan> {
  const about = await stat(path).catch(() => null);
  if (about === null) return { exists: false, posts: await keyed([await missingPost(path)]) };
  const self = { folder: dirname(path), name: basename(path) };
  if (about.isDirectory()) return { exists: true, posts: await keyed([{ folder: path, name: null }, self]) };
  const real = await realpath(path).catch(() => path);
  return { exists: true, posts: await keyed([self, { folder: dirname(real), name: basename(real) }]) };
}

/** The closest folder that is there, and the entry in it that is missing. */
async function missingPost(path: string): Promise<Post> {
  const { folder, entry } = await nearestFolder(path);
  return { folder, name: basename(entry) };
}

/** A folder that was removed and made again is another one, whatever its path. */
async function keyed(posts: readonly Post[]): Promise<ReadonlyMap<string, Post>> {
  const entries = await Promise.all(
    posts.map(async (post) => {
      const about = await stat(post.folder).catch(() => null);
      const key = `${about?.dev}:${about?.ino}:${about?.birthtimeMs}:${post.name ?? "/"}`;
      return [key, post] as const;
    }),
  );
  return new Map(entries.reverse());
}
