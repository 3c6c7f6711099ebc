import { constants, type Stats } from "node:fs";
import {
  cp,
  lstat,
  mkdir,
  readdir,
  readlink,
  realpath,
  rm,
  rmdir,
  stat,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { osErrorText } from "../../base/errors.ts";
import { type FileRefusal, WRITE_FLAGS } from "../../base/open-regular-file.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import { readWithDeadline } from "../../runtime/machine/mount-check.ts";
import { type Handlers, invalidRequest } from "../connections/handler.ts";
import { copyRegularFile } from "../machine/copy-regular-file.ts";
import { decodeBase64 } from "../machine/decode-base64.ts";
import { createLargeFiles, LARGE_FILE_BYTES } from "../machine/large-files.ts";

type FileMethod =
  | "fs/readFile"
  | "fs/writeFile"
  | "fs/createDirectory"
  | "fs/remove"
  | "fs/copy"
  | "fs/getMetadata"
  | "fs/readDirectory";

const REPLACE_FLAGS = WRITE_FLAGS | constants.O_TRUNC;

/** Clients cannot be expected to accept a message with a larger file. */
const MAX_READ_BYTES = 256 * 1024 * 1024;

/**
 * File access for clients without a file system of their own. Paths are absolute, as their rows check. They
 * are normalized before any access, so that `a/../b` is `b` even if `a` does not exist.
 */
export const createFileHandlers = (largeFiles = createLargeFiles()): Handlers<FileMethod> => ({
  async "fs/readFile"({ path: given }, { connection }) {
    const path = resolve(given);
    const small = await readRegularFile(path, { maxBytes: LARGE_FILE_BYTES });
    if (small.kind === "read") return { dataBase64: small.bytes.toString("base64") };
    if (small.reason !== "tooLarge") throw unreadable(path, small);
    const { size } = await withDeadline(path, () => stat(path));
    if (size > MAX_READ_BYTES) throw unreadable(path, small);
    return largeFiles.read(connection, size, async () => {
      const read = await readRegularFile(path, { maxBytes: MAX_READ_BYTES });
      if (read.kind === "read") return read.bytes;
      throw unreadable(path, read);
    });
  },

  async "fs/writeFile"({ path, dataBase64 }) {
    const decoded = decodeBase64(dataBase64);
    if (!decoded.ok) throw invalidRequest(`fs/writeFile requires valid base64 dataBase64: ${decoded.reason}`);
    const target = resolve(path);
    await withDeadline(target, () => writeFile(target, decoded.bytes, { flag: REPLACE_FLAGS }));
    return {};
  },

  async "fs/createDirectory"({ path, recursive }) {
    const target = resolve(path);
    await withDeadline(target, () => mkdir(target, { recursive: recursive ?? true }));
    return {};
  },

  async "fs/remove"({ path, recursive, force }) {
    const target = resolve(path);
    await withDeadline(target, () => lstat(target).catch(() => null));
    await withOsErrors(() => remove(target, { recursive: recursive ?? true, force: force ?? true }));
    return {};
  },

  async "fs/copy"({ sourcePath, destinationPath, recursive }) {
    const source = resolve(sourcePath);
    const destination = resolve(destinationPath);
    const about = await withDeadline(source, () => lstat(source));
    if (about.isDirectory()) {
      if (recursive !== true)
        throw invalidRequest("fs/copy requires recursive: true when sourcePath is a directory");
      if (await withDeadline(destination, () => isWithin(destination, source))) {
        throw invalidRequest("fs/copy cannot copy a directory to itself or one of its descendants");
      }
    } else if (!isCopyable(about)) {
      throw invalidRequest("fs/copy only supports regular files, directories, and symlinks");
    }
    const replaced = await withDeadline(destination, () => stat(destination).catch(() => null));
    if (about.isFile() && replaced !== null && !replaced.isFile() && !replaced.isDirectory())
      throw notAFile(destination);
    await withOsErrors(() => copy(about, source, destination));
    return {};
  },

  async "fs/getMetadata"({ path: given }) {
    const path = resolve(given);
    const own = await withDeadline(path, () => lstat(path));
    const target = own.isSymbolicLink() ? await withDeadline(path, () => stat(path)) : own;
    return {
      isDirectory: target.isDirectory(),
      isFile: target.isFile(),
      isSymlink: own.isSymbolicLink(),
      createdAtMs: Math.max(0, Math.floor(target.birthtimeMs)),
      modifiedAtMs: Math.max(0, Math.floor(target.mtimeMs)),
    };
  },

  /** Broken symlinks are not listed. */
  async "fs/readDirectory"({ path: given }) {
    const path = resolve(given);
    const found = await withDeadline(path, () => readdir(path, { withFileTypes: true }));
    const entries: { fileName: string; isDirectory: boolean; isFile: boolean }[] = [];
    for (const entry of found) {
      const target = join(path, entry.name);
      const about = entry.isSymbolicLink()
        ? await withDeadline(path, () => stat(target).catch(() => null))
        : entry;
      if (about === null) continue;
      entries.push({ fileName: entry.name, isDirectory: about.isDirectory(), isFile: about.isFile() });
    }
    return { entries };
  },
});

/** Converts a system error to an internal error with the system's message. */
async function withOsErrors<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new RpcError(errorCodes.internalError, osErrorText(error));
  }
}

/**
 * `work` with a deadline, for short operations: a mount that does not respond must not block other requests.
 */
function withDeadline<T>(path: string, act: () => Promise<T>): Promise<T> {
  return withOsErrors(() => readWithDeadline(path, act));
}

function unreadable(path: string, { reason, message }: FileRefusal): RpcError {
  if (reason === "notRegular") return notAFile(path);
  if (reason !== "tooLarge") return new RpcError(errorCodes.internalError, message);
  return invalidRequest(`file \`${path}\` is larger than ${MAX_READ_BYTES} bytes`);
}

function notAFile(path: string): RpcError {
  return invalidRequest(`path \`${path}\` is not a file`);
}

async function remove(
  path: string,
  { recursive, force }: { readonly recursive: boolean; readonly force: boolean },
) {
  if (recursive) return rm(path, { recursive, force });
  const about = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (force && error.code === "ENOENT") return null;
    throw error;
  });
  if (about === null) return;
  return about.isDirectory() ? rmdir(path) : unlink(path);
}

async function copy(about: Stats, source: string, destination: string): Promise<void> {
  if (about.isSymbolicLink()) return symlink(await readlink(source), destination);
  if (about.isFile()) return copyRegularFile(source, destination);
  await cp(source, destination, {
    recursive: true,
    verbatimSymlinks: true,
    filter: async (path) => {
      const each = await lstat(path);
      return each.isDirectory() || isCopyable(each);
    },
  });
}

function isCopyable(about: Stats): boolean {
  return about.isFile() || about.isSymbolicLink();
}

/** Whether a path is inside of a folder after resolving symlinks. The path need not exist yet. */
async function isWithin(path: string, folder: string): Promise<boolean> {
  const way = relative(await realpath(folder), await resolveParent(path));
  return way === "" || !(way === ".." || way.startsWith("../"));
}

async function resolveParent(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return join(await resolveParent(dirname(path)), basename(path));
  }
}
