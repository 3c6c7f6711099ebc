/** What of the file system a patch needs: Node's own functions, as a port so that tests can let each one fail. */
import * as node from "node:fs/promises";
import { readRegularFile } from "../../base/read-regular-file.ts";

export type PatchFileSystem = Pick<
  typeof node,
  "link" | "lstat" | "mkdir" | "open" | "readlink" | "realpath" | "rename" | "rmdir" | "stat" | "unlink"
> & { readonly readRegularFile: typeof readRegularFile };

export const nodeFileSystem: PatchFileSystem = { ...node, readRegularFile };

export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
