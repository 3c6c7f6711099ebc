/**
 * Paths that no sandboxed command may change, wherever they are: files that determine the server's decisions, and files
 * that it executes. Write access to them would be an escape from every sandbox.
 */
import { lstatSync } from "node:fs";
import { join, relative } from "node:path";
import { realPath } from "../base/file-system.ts";
import { MOUNT_TABLE, type MountedFolder, parseMounts, readMountTable } from "../base/mounts.ts";
import { isInside } from "./inside.ts";

export interface Guard {
  /** The configured paths; a symlink in them could be retargeted, so that the path leads elsewhere. */
  paths(): readonly string[];
  /** The resolved paths, including aliases through other mounts of the same file system; missing paths by name. */
  realPaths(): readonly string[];
  /** Whether a folder may be written although it lies in a guarded path. */
  isExempt(folder: string): boolean;
  /** Additional names at the top of writable folders that are read-only. */
  protectedNames(): readonly string[];
}

export const NO_GUARD: Guard = {
  paths: () => [],
  realPaths: () => [],
  isExempt: () => true,
  protectedNames: () => [],
};

/** Evaluated for each set of bounds. `isExempt` receives the real paths of folders within the guarded ones. */
export type Guarded = Pick<Guard, "paths"> & Partial<Pick<Guard, "isExempt" | "protectedNames">>;

export function createGuard({ paths, isExempt = () => false, protectedNames = () => [] }: Guarded): Guard {
  const aliasesOf = createAliasFinder();
  return {
    paths,
    protectedNames,
    realPaths() {
      const realPaths = new Set(paths().map(realPath));
      for (const alias of aliasesOf([...realPaths])) if (exists(alias)) realPaths.add(alias);
      return [...realPaths];
    },
    isExempt,
  };
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Finds further paths of the same files where a part of a file system is mounted more than once. Results are cached until
 * the mount table changes.
 */
export function createAliasFinder(file = MOUNT_TABLE): (paths: readonly string[]) => string[] {
  let text = "";
  let mounts: readonly MountedFolder[] = [];
  let cached = new Map<string, readonly string[]>();
  return (paths) => {
    const now = readMountTable(file);
    if (now !== text) {
      text = now;
      mounts = parseMounts(now);
      cached = new Map();
    }
    return paths.flatMap((path) => {
      const found = cached.get(path) ?? aliasesOf(path, mounts);
      cached.set(path, found);
      return found;
    });
  };
}

/** Other paths of a file or folder, or of a part of the folder; `path` must be resolved. */
export function aliasesOf(path: string, mounts: readonly MountedFolder[]): string[] {
  const own = mounts
    .filter(({ mountPoint }) => isInside(path, mountPoint))
    .reduce<MountedFolder | null>(
      (closest, each) =>
        closest === null || each.mountPoint.length >= closest.mountPoint.length ? each : closest,
      null,
    );
  if (own === null) return [];
  const stored = join(own.root, relative(own.mountPoint, path));
  return mounts.flatMap((mount) => {
    if (mount === own || mount.device !== own.device) return [];
    if (isInside(stored, mount.root)) return [join(mount.mountPoint, relative(mount.root, stored))];
    return isInside(mount.root, stored) ? [mount.mountPoint] : [];
  });
}
