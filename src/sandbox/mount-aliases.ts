/** Further paths at which the same files are found, because a part of a file system is mounted more than once. */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isInside } from "./inside.ts";

export interface MountedFolder {
  /** The file system, as the kernel numbers it. */
  readonly device: string;
  /** The folder of the file system that is mounted. */
  readonly root: string;
  readonly mountPoint: string;
}

/** Finds aliases by what is mounted when it is asked; what was found stays known until that changes. */
export function createAliasFinder(file = "/proc/self/mountinfo"): (paths: readonly string[]) => string[] {
  let text = "";
  let mounts: readonly MountedFolder[] = [];
  let known = new Map<string, readonly string[]>();
  return (paths) => {
    const now = readText(file);
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

/** Nothing where the system does not tell. */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

export function parseMounts(text: string): MountedFolder[] {
  return text.split("\n").flatMap((line) => {
    const [, , device, root, mountPoint] = line.split(" ");
    if (device === undefined || root === undefined || mountPoint === undefined) return [];
    return [{ device, root: unescapePath(root), mountPoint: unescapePath(mountPoint) }];
  });
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

/** Blanks, tabs, line ends and backslashes are written as octal numbers. */
function unescapePath(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
