import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/**
 * The mount point of a path, determined lexically: symlinks are not resolved, because a stat on a dead mount may block
 * for ever. Without a mount table every path belongs to `/`.
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
  /** The device number, `major:minor`. */
  readonly device: string;
  /** The folder within the file system that is mounted. */
  readonly root: string;
  readonly mountPoint: string;
}

/** Empty on systems without a mount table. */
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

/** The kernel writes spaces, tabs, newlines and backslashes as octal escapes. */
function unescapePath(text: string): string {
  // Few paths have any, and a table may have thousands: at the start of a server the expression took 2.8 ms.
  if (!text.includes("\\")) return text;
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
