/**
 * Where a path really leads, also when the file, or folders on the way, do not exist yet. What cannot be
 * resolved, for want of permission or because links go in a circle, cannot be written either and is left as
 * it is.
 */
import { basename, dirname, join, resolve } from "node:path";
import type { PatchFileSystem } from "./patch-file-system.ts";

const MAX_LINKS = 40;

/** The file that a write to `path` would change: links are followed to the end, even to a missing file. */
export async function resolveTarget(fs: PatchFileSystem, path: string, links = 0): Promise<string> {
  const known = await fs.realpath(path).catch(() => undefined);
  if (known !== undefined) return known;
  const folder = dirname(path);
  if (folder === path) return path;
  const real = join(await resolveTarget(fs, folder, links), basename(path));
  const pointed = await fs.readlink(real).catch(() => undefined);
  if (pointed === undefined || links === MAX_LINKS) return real;
  return resolveTarget(fs, resolve(dirname(real), pointed), links + 1);
}

/** The entry that a removal of `path` would remove: a link itself and not what it points to. */
export async function resolveEntry(fs: PatchFileSystem, path: string): Promise<string> {
  const folder = dirname(path);
  return folder === path ? path : join(await resolveTarget(fs, folder), basename(path));
}
