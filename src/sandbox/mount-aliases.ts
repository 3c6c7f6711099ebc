/** Further paths at which the same files are found, because a part of a file system is mounted more than once. */
import { join, relative } from "node:path";
import { MOUNT_TABLE, type MountedFolder, parseMounts, readMountTable } from "../base/read-mounts.ts";
import { isInside } from "./inside.ts";

/** Finds aliases by what is mounted when it is asked; what was found stays known until that changes. */
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
