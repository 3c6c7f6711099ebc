import { readFileSync } from "node:fs";
import { resolve } from "node:path";

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

export const MOUNT_TABLE = "/proc/self/mountinfo";

export interface MountedFolder {
  /** The file system, as the kernel numbers it. */
  readonly device: string;
  /** The folder of the file system that is mounted. */
  readonly root: string;
  readonly mountPoint: string;
}

/** Nothing where the system does not tell. */
export function readMountTable(file = MOUNT_TABLE): string {
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

/** Blanks, tabs, line ends and backslashes are written as octal numbers. */
function unescapePath(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
