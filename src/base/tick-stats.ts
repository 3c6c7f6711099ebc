import { statOf } from "./file-system.ts";

/** The kind of a path, without types of Node: the declarations of the package lead here. */
interface PathKind {
  isDirectory(): boolean;
}

/** Null for a path that is missing or cannot be read. */
export type StatOf = (path: string) => PathKind | null;

/**
 * A `statOf` that looks at each path once until the next tick: a thread looks for the `.git` of its folder five times
 * when it starts. Code that runs in one tick cannot observe a change by others between two of its looks.
 */
export function createTickStats(): StatOf {
  const found = new Map<string, PathKind | null>();
  const clear = (): void => found.clear();
  return (path) => {
    const known = found.get(path);
    if (known !== undefined) return known;
    if (found.size === 0) process.nextTick(clear);
    const stats = statOf(path);
    found.set(path, stats);
    return stats;
  };
}
