import { isAbsolute, relative, sep } from "node:path";

/** Whether a path is the folder or lies below it; both absolute and without links. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith(`..${sep}`) && way !== ".." && !isAbsolute(way));
}
