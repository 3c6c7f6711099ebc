/** A secret in a file that is read again when the file has changed. */
import { type Stats, statSync } from "node:fs";
import { messageOf } from "../base/errors.ts";

/**
 * Throws where it cannot be read at first. A replacement that cannot be used leaves the old secret in its place, which
 * is told once. A pipe has its secret once only, and is not asked again.
 */
export function openSecretFile<T>(
  path: string,
  read: (path: string) => T,
  onFault: (message: string) => void,
): () => T {
  let mark = markOf(path);
  let secret = read(path);
  return () => {
    const next = markOf(path);
    if (next === null || next === mark) return secret;
    mark = next;
    try {
      secret = read(path);
    } catch (error) {
      onFault(`${messageOf(error)}; the one before stays in use`);
    }
    return secret;
  };
}

/** Another one when the file is another one or was written; null where it is not there, or is no regular file. */
function markOf(path: string): string | null {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch {
    return null;
  }
  if (stats === undefined || !stats.isFile()) return null;
  return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}
