/** What is mounted where, as the kernel tells. */
import { readFileSync } from "node:fs";

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
