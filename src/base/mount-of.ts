import { resolve } from "node:path";
import { parseMounts, readMountTable } from "./read-mounts.ts";

/**
 * The mount that a path lies on, as far as its words tell: links are not looked at, since looking at them may take for
 * ever. Where the system does not say, all paths lie on one.
 */
export function mountOf(path: string): string {
  const absolute = resolve(path);
  let longest = "/";
  for (const { mountPoint } of parseMounts(readMountTable())) {
    const isAround = absolute === mountPoint || absolute.startsWith(`${mountPoint}/`);
    if (isAround && mountPoint.length > longest.length) longest = mountPoint;
  }
  return longest;
}
