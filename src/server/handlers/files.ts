import type { Stats } from "node:fs";
import {
  copyFile,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
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
import { osErrorText } from "../../base/os-error.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import { type Handlers, invalidRequest } from "../handler.ts";
import { decodeBase64 } from "../machine/decode-base64.ts";

type FileMethod =
  | "fs/readFile"
  | "fs/writeFile"
  | "fs/createDirectory"
  | "fs/remove"
  | "fs/copy"
  | "fs/getMetadata"
  | "fs/readDirectory";

/** A larger file would not fit into a message that clients can be expected to take. */
const MAX_READ_BYTES = 256 * 1024 * 1024;

/**
 * Files for clients that have none of their own at hand. Paths are absolute, which their rows have checked; what they
 * name is worked out before anything is looked at, so that `a/../b` is `b` also where there is no `a`.
 */
export const fileHandlers: Handlers<FileMethod> = {
  async "fs/readFile"({ path: given }) {
    const path = resolve(given);
    const about = await attempt(() => stat(path));
    if (!about.isFile()) throw invalidRequest(`path \`${path}\` is not a file`);
    if (about.size > MAX_READ_BYTES)
      throw invalidRequest(`file \`${path}\` is larger than ${MAX_READ_BYTES} bytes`);
    return { dataBase64: await attempt(() => readFile(path, "base64")) };
  },

  async "fs/writeFile"({ path, dataBase64 }) {
    const decoded = decodeBase64(dataBase64);
    if (!decoded.ok) throw invalidRequest(`fs/writeFile requires valid base64 dataBase64: ${decoded.reason}`);
    await attempt(() => writeFile(resolve(path), decoded.bytes));
    return {};
  },

  async "fs/createDirectory"({ path, recursive }) {
    await attempt(() => mkdir(resolve(path), { recursive: recursive ?? true }));
    return {};
  },

  async "fs/remove"({ path, recursive, force }) {
    await attempt(() => remove(resolve(path), { recursive: recursive ?? true, force: force ?? true }));
    return {};
  },

  async "fs/copy"({ sourcePath, destinationPath, recursive }) {
    const source = resolve(sourcePath);
    const destination = resolve(destinationPath);
    const about = await attempt(() => lstat(source));
    if (about.isDirectory()) {
      if (recursive !== true)
        throw invalidRequest("fs/copy requires recursive: true when sourcePath is a directory");
      if (await attempt(() => isWithin(destination, source))) {
        throw invalidRequest("fs/copy cannot copy a directory to itself or one of its descendants");
      }
    } else if (!isCopyable(about)) {
      throw invalidRequest("fs/copy only supports regular files, directories, and symlinks");
    }
    await attempt(() => copy(about, source, destination));
    return {};
  },

  async "fs/getMetadata"({ path: given }) {
    const path = resolve(given);
    const [own, target] = await attempt(() => Promise.all([lstat(path), stat(path)]));
    return {
      isDirectory: target.isDirectory(),
      isFile: target.isFile(),
      isSymlink: own.isSymbolicLink(),
      createdAtMs: Math.max(0, Math.floor(target.birthtimeMs)),
      modifiedAtMs: Math.max(0, Math.floor(target.mtimeMs)),
    };
  },

  /** A link that leads nowhere is not listed. */
  async "fs/readDirectory"({ path: given }) {
    const path = resolve(given);
    const names = await attempt(() => readdir(path));
    const entries = await Promise.all(
      names.map(async (fileName) => {
        const about = await stat(join(path, fileName)).catch(() => null);
        return about === null ? [] : [{ fileName, isDirectory: about.isDirectory(), isFile: about.isFile() }];
      }),
    );
    return { entries: entries.flat() };
  },
};

/** What the system says against it is an error of the server, in the system's words. */
async function attempt<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new RpcError(errorCodes.internalError, osErrorText(error));
  }
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
  if (about.isFile()) return copyFile(source, destination);
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

/** Whether a path that may not exist yet lies in a folder, once all links are resolved. */
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
