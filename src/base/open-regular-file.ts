/**
 * Opens files of which only the path is known. What is no regular file is refused unopened, because opening a pipe waits
 * for its other end and opening a device may set it going; what has become one in the meantime makes nobody wait.
 */
import { closeSync, constants, fstatSync, openSync, type Stats, statSync, writeFileSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { AppError, osErrorText } from "./errors.ts";

export interface FileRefusal {
  readonly kind: "refused";
  readonly reason: "missing" | "notRegular" | "tooLarge" | "timeout" | "failed";
  /** In the words of the system where they are its own, and beginning like those of a sentence about the file. */
  readonly message: string;
}

export type OpenedFile =
  | FileRefusal
  | { readonly kind: "open"; readonly file: FileHandle; readonly stats: Stats };
export type OpenedFileSync =
  | FileRefusal
  | { readonly kind: "open"; readonly file: number; readonly stats: Stats };

/** Without waiting for anything: neither for a pipe nor a lease, nor for a file of the system that has nothing to say. */
const WITHOUT_WAITING = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const READ_FLAGS = constants.O_RDONLY | WITHOUT_WAITING;
const APPEND_FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | WITHOUT_WAITING;
/** To write to, made if it is not there. */
export const WRITE_FLAGS = constants.O_WRONLY | constants.O_CREAT | WITHOUT_WAITING;
/** For changes within a file. */
export const CHANGE_FLAGS = constants.O_RDWR | WITHOUT_WAITING;

const NOT_REGULAR = "it is not a regular file";
/** What the system would say, without the price of an error. */
const MISSING: FileRefusal = {
  kind: "refused",
  reason: "missing",
  message: "No such file or directory (os error 2)",
};

export async function openRegularFile(path: string, flags = READ_FLAGS): Promise<OpenedFile> {
  let file: FileHandle | undefined;
  try {
    const found = await stat(path);
    if (!found.isFile()) return notRegular(found);
    file = await open(path, flags);
    const stats = await file.stat();
    if (stats.isFile()) return { kind: "open", file, stats };
    await file.close();
    return notRegular(stats);
  } catch (error) {
    await file?.close().catch(() => {});
    return toFileRefusal(error);
  }
}

/** The same on the main thread, for small files that are most likely in the system's memory. */
export function openRegularFileSync(path: string, flags = READ_FLAGS): OpenedFileSync {
  let file: number | undefined;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return MISSING;
    if (!found.isFile()) return notRegular(found);
    file = openSync(path, flags);
    const stats = fstatSync(file);
    if (stats.isFile()) return { kind: "open", file, stats };
    closeSync(file);
    return notRegular(stats);
  } catch (error) {
    if (file !== undefined) closeSync(file);
    return toFileRefusal(error);
  }
}

/** To read and to append to, made if it is not there. What is no regular file throws, as whatever cannot be written. */
export function openToAppendSync(
  path: string,
  mode: number,
  { followsLink = true }: { readonly followsLink?: boolean } = {},
): number {
  const file = openSync(path, APPEND_FLAGS | (followsLink ? 0 : (constants.O_NOFOLLOW ?? 0)), mode);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new AppError("file.notRegular", `cannot write to ${path}: ${NOT_REGULAR}`);
}

export function appendSync(path: string, text: string, mode: number): void {
  const file = openToAppendSync(path, mode);
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

export function toFileRefusal(error: unknown): FileRefusal {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === "ENOENT" || code === "ENOTDIR" ? "missing" : "failed";
  return { kind: "refused", reason, message: osErrorText(error) };
}

function notRegular(stats: Stats): FileRefusal {
  const message = stats.isDirectory() ? "Is a directory (os error 21)" : NOT_REGULAR;
  return { kind: "refused", reason: "notRegular", message };
}
