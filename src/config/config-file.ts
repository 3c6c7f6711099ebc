// Replaces a config file atomically: readers see the old text or the new one, and a concurrent change is
// detected instead of overwritten.
import { closeSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { mkdir, open, readlink, rm } from "node:fs/promises";
import path from "node:path";
import { syncFolder } from "../base/file-system.ts";
import { readTextSync } from "../base/read-regular-file.ts";

export interface FileVersion {
  /** The resolved path, with symlinks followed. */
  readonly target: string;
  /** Undefined if the file does not exist. */
  readonly text: string | undefined;
}

export type Replaced = "replaced" | "changed";

const NEW_FILE_MODE = 0o600;
const MAX_LINKS = 40;
/** Above the size limits of all files that are replaced this way. */
const MAX_REPLACED_BYTES = 64 * 1024 * 1024;
/** A lock is held for less than a millisecond, so that an older one is stale. */
const ABANDONED_MS = 5000;

/** Follows symlinks, also to a file that does not exist yet. */
export async function resolveWriteTarget(file: string): Promise<string> {
  let current = file;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const link = await readlink(current).catch(() => undefined);
    if (link === undefined) return current;
    current = path.resolve(path.dirname(current), link);
  }
  throw new Error(`too many symbolic links at ${file}`);
}

/**
 * `changed` means that the file no longer matches `from`, or is locked by another writer, and was not
 * replaced.
 */
export async function replaceFile(from: FileVersion, text: string, temporaryName: string): Promise<Replaced> {
  const folder = path.dirname(from.target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = path.join(folder, temporaryName);
  try {
    const handle = await open(temporary, "wx", modeOf(from.target));
    try {
      await handle.writeFile(text);
      await handle.chmod(modeOf(from.target));
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (swap(from, temporary) === "changed") return "changed";
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(folder);
  return "replaced";
}

/**
 * The final comparison and the rename must not be separated. They are synchronous, so that nothing else in
 * this process runs between them, and a lock file excludes other processes.
 */
function swap({ target, text }: FileVersion, temporary: string): Replaced {
  const lock = path.join(path.dirname(target), `.${path.basename(target)}.lock`);
  if (!takeLock(lock, temporary)) return "changed";
  try {
    if (readTextSync(target, MAX_REPLACED_BYTES) !== (text ?? null)) return "changed";
    renameSync(temporary, target);
    return "replaced";
  } finally {
    rmSync(lock, { force: true });
  }
}

/** False when another process holds the lock; its change is then to be expected. */
function takeLock(lock: string, temporary: string): boolean {
  try {
    closeSync(openSync(lock, "wx", NEW_FILE_MODE));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (isAbandoned(lock, temporary)) rmSync(lock, { force: true });
    return false;
  }
}

/** The lock of a process that died. Both timestamps are from one file system, so that no clock is needed. */
function isAbandoned(lock: string, temporary: string): boolean {
  const taken = statSync(lock, { throwIfNoEntry: false });
  return taken !== undefined && statSync(temporary).mtimeMs - taken.mtimeMs > ABANDONED_MS;
}

function modeOf(file: string): number {
  try {
    return statSync(file).mode & 0o777;
  } catch {
    return NEW_FILE_MODE;
  }
}
