/**
 * What no confined command may change, wherever it lies: the files by which the server decides, and those that it
 * runs. Whoever could write them would decide, or run, outside of every sandbox.
 */
import { lstatSync } from "node:fs";
import { join, relative } from "node:path";
import { realPath } from "../base/file-system.ts";
import { MOUNT_TABLE, type MountedFolder, parseMounts, readMountTable } from "../base/mounts.ts";
import { isInside } from "./inside.ts";

export interface Guard {
  /** As they are named; a link on the way could be turned, and the name would lead elsewhere. */
  named(): readonly string[];
  /** Where they really are, also through other mounts of the same file system; those that do not exist by name. */
  places(): readonly string[];
  /** Whether a folder may be written although it lies in a guarded one. */
  isOpen(folder: string): boolean;
  /** Names at the top of writable folders that stay as they are, beside those that always do. */
  protectedNames(): readonly string[];
}

export const NO_GUARD: Guard = {
  named: () => [],
  places: () => [],
  isOpen: () => true,
  protectedNames: () => [],
};

/** Asked each time that bounds are made. `isOpen` is about folders within the guarded ones, by their real paths. */
export type Guarded = Pick<Guard, "named"> & Partial<Pick<Guard, "isOpen" | "protectedNames">>;

export function createGuard({ named, isOpen = () => false, protectedNames = () => [] }: Guarded): Guard {
  const aliasesOf = createAliasFinder();
  return {
    named,
    protectedNames,
    places() {
      const places = new Set(named().map(realPath));
      for (const alias of aliasesOf([...places])) if (exists(alias)) places.add(alias);
      return [...places];
    },
    isOpen,
  };
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Finds further paths at which the same files lie, because a part of a file system is mounted more than once. It goes
 * by what is mounted when it is asked; what was found stays known until that changes.
 */
export function createAliasFinder(file = MOUNT_TABLE): (paths: readonly string[]) => string[] {
  let text = "";
  let mounts: readonly MountedFolder[] = [];
  let known = new Map<string, readonly string[]>();
  return (paths) => {
    const now = readMountTable(file);
    if (now !== text) {
      text = now;
      mounts = parseMounts(now);
      known = new Map();
    }
    return paths.flatMap((path) => {
      const found = known.get(path) ?? aliasesOf(path, mounts);
      known.set(path, found);
      return found;
    });
  };
}

/** The paths at which the file or folder, or a part of the folder, is found besides the given one, which is real. */
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
