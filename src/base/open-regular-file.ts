/**
 * Opens files by untrusted paths. Anything but a regular file is refused before it is opened, because opening a FIFO blocks
 * until its other end is open, and opening a device may have side effects. The flags never block, so a path that is
 * replaced between the check and the open cannot block either; the opened descriptor is checked again.
 */
import fs, {
  closeSync,
  constants,
  fstatSync,
  open,
  openSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { promisify } from "node:util";
import { AppError, osErrorText } from "./errors.ts";

export interface FileRefusal {
  readonly kind: "refused";
  readonly reason: "missing" | "notRegular" | "tooLarge" | "timeout" | "failed";
  /** The operating system's text if the error is its own; otherwise a clause about the file. */
  readonly message: string;
}

export type OpenFileOutcome =
  | FileRefusal
  | { readonly kind: "open"; readonly file: FileHandle; readonly stats: Stats };
export interface OpenFileSync {
  readonly kind: "open";
  readonly file: number;
  readonly stats: Stats;
}
export type OpenFileOutcomeSync = FileRefusal | OpenFileSync;

/** Opening and reading never block: neither on a FIFO nor a file lease, nor on a kernel file without data. */
const NEVER_BLOCK = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const READ_FLAGS = constants.O_RDONLY | NEVER_BLOCK;
const APPEND_FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NEVER_BLOCK;
/** For writing; creates a missing file. */
export const WRITE_FLAGS = constants.O_WRONLY | constants.O_CREAT | NEVER_BLOCK;
/** For changes within an existing file. */
export const CHANGE_FLAGS = constants.O_RDWR | NEVER_BLOCK;

const NOT_REGULAR = "it is not a regular file";
/** The text of ENOENT, without the cost of creating an error. */
const MISSING: FileRefusal = {
  kind: "refused",
  reason: "missing",
  message: "No such file or directory (os error 2)",
};

export async function openRegularFile(path: string, flags = READ_FLAGS): Promise<OpenFileOutcome> {
  let file: FileHandle | undefined;
  try {
    const found = await fs.promises.stat(path);
    if (!found.isFile()) return notRegular(found);
    file = await fs.promises.open(path, flags);
    const stats = await file.stat();
    if (stats.isFile()) return { kind: "open", file, stats };
    await file.close();
    return notRegular(stats);
  } catch (error) {
    await file?.close().catch(() => {});
    return toFileRefusal(error);
  }
}

/** The synchronous version, for small files that are most likely in the page cache. */
export function openRegularFileSync(path: string, flags = READ_FLAGS): OpenFileOutcomeSync {
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

/** Opens for reading and appending; creates a missing file. Throws if it is not a regular file or not writable. */
export function openToAppendSync(
  path: string,
  mode: number,
  { followsLink = true }: { readonly followsLink?: boolean } = {},
): number {
  return expectRegular(
    path,
    openSync(path, APPEND_FLAGS | (followsLink ? 0 : (constants.O_NOFOLLOW ?? 0)), mode),
  );
}

const openInPool = promisify(open);

/** The same in the thread pool: the creation of a file can take a third of a millisecond. */
export async function openToAppend(path: string, mode: number): Promise<number> {
  return expectRegular(path, await openInPool(path, APPEND_FLAGS, mode));
}

function expectRegular(path: string, file: number): number {
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
