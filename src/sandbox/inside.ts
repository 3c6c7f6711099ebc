/** Path containment, lexically and for the symlinks in a path. */
import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** Whether a path is the folder or lies below it; both must be absolute and without symlinks. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith(`..${sep}`) && way !== ".." && !isAbsolute(way));
}

/** The kernel's limit, after which it returns ELOOP. */
const MAX_LINKS = 40;

/** The first symlink in a path that lies in one of the folders, and so could be retargeted there; or null. */
export function findLink(path: string, folders: readonly string[]): string | null {
  let parts = path.split(sep);
  let current: string = sep;
  let links = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      current = dirname(current);
      continue;
    }
    const next = join(current, part);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (!found.isSymbolicLink()) {
      current = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS || folders.some((folder) => isInside(next, folder))) return next;
    const target = readlinkSync(next);
    if (isAbsolute(target)) current = sep;
    parts = [...target.split(sep), ...parts];
  }
  return null;
}
