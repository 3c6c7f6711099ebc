/** Opens files for appending, creates their folders, and restores removed ones. */
import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  readSync,
  write,
  writeSync,
} from "node:fs";
import { link, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { syncFolder } from "../../../base/file-system.ts";
import { openToAppend } from "../../../base/open-regular-file.ts";
import type { ReadableFile } from "./raw-lines.ts";

/** The part of an open file that the writer needs. */
export interface WritableFile extends ReadableFile {
  /** Appends some of the bytes, and returns their number. */
  write(bytes: Buffer, offset: number): Promise<number>;
  /** Synchronous operations; absent where a write has to wait. */
  readonly sync?: SyncFile;
  stat(): Promise<{ readonly ino: number; readonly dev: number; readonly size: number }>;
  truncate(size: number): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

export interface SyncFile {
  /** Appends all of the bytes, at most `DIRECT_WRITE_BYTES`. */
  write(bytes: Buffer): void;
  truncate(size: number): void;
  size(): number;
}

export const DIRECT_WRITE_BYTES = 64 * 1024;
const writeLong = promisify(write);
const datasync = promisify(fdatasync);

/** Readable by the owner only. */
const MODE = 0o600;

/**
 * Opens or creates a file. Short writes are synchronous: they take a few microseconds each to the page
 * cache, where a thread pool round trip takes fifty.
 */
export async function openWritable(path: string): Promise<WritableFile> {
  const file = await openToAppend(path, MODE);
  return {
    read: async (buffer, offset, length, position) => ({
      bytesRead: readSync(file, buffer, offset, length, position),
    }),
    async write(bytes, offset) {
      const length = bytes.length - offset;
      if (length <= DIRECT_WRITE_BYTES) return writeSync(file, bytes, offset, length, null);
      return (await writeLong(file, bytes, offset, length, null)).bytesWritten;
    },
    sync: {
      write(bytes) {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, null);
      },
      truncate: (size) => ftruncateSync(file, size),
      size: () => fstatSync(file).size,
    },
    stat: async () => fstatSync(file),
    truncate: async (size) => ftruncateSync(file, size),
    datasync: () => datasync(file),
    close: async () => closeSync(file),
  };
}

/**
 * Creates missing folders one by one: only the error of the first one states the actual cause. Synchronous, because a
 * turn waits for it.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it. If a file has this name, opening the rollout gives the clearer error.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

export async function tryTruncate(handle: WritableFile, size: number): Promise<boolean> {
  try {
    await handle.truncate(size);
    return true;
  } catch {
    // The rest then becomes a separate line, which readers skip.
    return false;
  }
}

export interface RestoreOptions {
  readonly path: string;
  /** The removed file, which is still readable through its open handle. */
  readonly from: WritableFile;
  readonly size: number;
  readonly durability: "os" | "fsync";
  readonly openFile: (path: string) => Promise<WritableFile>;
}

const CHUNK_BYTES = 1024 * 1024;

/**
 * Restores a file that was removed while its writer had it open, and opens it. The file appears complete or not at all.
 */
export async function restoreFile(options: RestoreOptions): Promise<WritableFile> {
  const { path, durability, openFile } = options;
  makeFolder(dirname(path));
  const temporary = `${path}.options`;
  await rm(temporary, { force: true });
  const file = await openFile(temporary);
  try {
    await copy(options, file);
    if (durability === "fsync") await file.datasync();
    await linkIntoPlace(temporary, path);
    if (durability === "fsync") await syncFolder(dirname(path));
    return file;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(temporary, { force: true });
    throw error;
  }
}

async function copy({ from, size }: RestoreOptions, to: WritableFile): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
  for (let at = 0; at < size; ) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, size - at), at);
    if (bytesRead === 0) throw new Error(`only ${at} of ${size} bytes of what was removed can be read`);
    for (let done = 0; done < bytesRead; ) done += await to.write(buffer.subarray(0, bytesRead), done);
    at += bytesRead;
  }
}

/** Unlike a rename, a hard link does not replace a file that was created meanwhile. */
async function linkIntoPlace(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
    await rm(temporary);
  } catch (error) {
    // Some file systems have no hard links.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    await rename(temporary, path);
  }
}
