/**
 * The one way to read a file whose path somebody else has named: regular files only, never more than a bound whatever
 * their size says, and what a model or a client has named only until a deadline.
 */
import { closeSync, readSync } from "node:fs";
import { statOf } from "./file-system.ts";
import {
  type FileRefusal,
  openRegularFile,
  openRegularFileSync,
  toFileRefusal,
} from "./open-regular-file.ts";
import { FILE_DEADLINE_MS, runWithDeadline } from "./thread-pool.ts";

export interface ReadOptions {
  readonly maxBytes: number;
  /** What becomes of a file with more bytes; it is refused unless said otherwise. */
  readonly larger?: "refuse" | "cut";
}

export interface PooledReadOptions extends ReadOptions {
  /** Whose file it is: one of the home, the configuration or the project, or whatever a model or a client has named. */
  readonly from?: "outside" | "own";
}

export interface FileContent {
  readonly kind: "read";
  readonly bytes: Buffer;
  /** Whether there was more. */
  readonly isCut: boolean;
  /** Type and permissions. */
  readonly mode: number;
}

export type ReadFile = FileContent | FileRefusal;

/** Files of the system say that they are empty and are not. None that is of use is longer; some never end. */
export const MAX_UNSIZED_BYTES = 16 * 1024 * 1024;
const SMALL_BYTES = 64 * 1024;
const UNSIZED_CHUNK_BYTES = 64 * 1024;
/** Some of them refuse to be read in smaller pieces. */
const PAGE_BYTES = 4096;

export async function readRegularFile(path: string, options: PooledReadOptions): Promise<ReadFile> {
  if (options.from === "own") return readOwn(path, options);
  const outcome = await runWithDeadline(path, () => readInPool(path, options));
  if (outcome.kind === "done") return outcome.value;
  const message = `it could not be read within ${FILE_DEADLINE_MS / 1000} seconds`;
  return { kind: "refused", reason: "timeout", message };
}

/** What is small or not there is looked at right here: the way to the pool and back takes longer than that. */
function readOwn(path: string, options: ReadOptions): ReadFile | Promise<ReadFile> {
  const size = statOf(path)?.size ?? 0;
  return size > SMALL_BYTES ? readInPool(path, options) : readRegularFileSync(path, options);
}

async function readInPool(path: string, wanted: ReadOptions): Promise<ReadFile> {
  const opened = await openRegularFile(path);
  if (opened.kind === "refused") return opened;
  const { file, stats } = opened;
  const options = boundFor(stats.size, wanted);
  try {
    if (isTooLarge(stats.size, options)) return tooLarge(options);
    const filling = createFilling(stats.size, options.maxBytes);
    for (let room = filling.room(); room !== null; room = filling.room()) {
      const { bytesRead } = await file.read(room, 0, room.length, null);
      filling.took(bytesRead);
    }
    return toContent(filling.bytes(), stats.mode, options);
  } catch (error) {
    return toFileRefusal(error);
  } finally {
    await file.close();
  }
}

/** The same on the main thread, for small files that are most likely in the system's memory. */
export function readRegularFileSync(path: string, wanted: ReadOptions): ReadFile {
  const opened = openRegularFileSync(path);
  if (opened.kind === "refused") return opened;
  const { file, stats } = opened;
  const options = boundFor(stats.size, wanted);
  try {
    if (isTooLarge(stats.size, options)) return tooLarge(options);
    const filling = createFilling(stats.size, options.maxBytes);
    for (let room = filling.room(); room !== null; room = filling.room()) {
      filling.took(readSync(file, room, 0, room.length, null));
    }
    return toContent(filling.bytes(), stats.mode, options);
  } catch (error) {
    return toFileRefusal(error);
  } finally {
    closeSync(file);
  }
}

/** The text of a small file; null for whatever cannot be read. */
export function readTextSync(path: string, maxBytes: number): string | null {
  const read = readRegularFileSync(path, { maxBytes });
  return read.kind === "read" ? read.bytes.toString("utf8") : null;
}

/** Memory that grows with what was read, up to a little more than is wanted: that tells that there is more. */
function createFilling(size: number, maxBytes: number) {
  const most = Math.ceil((maxBytes + 1) / PAGE_BYTES) * PAGE_BYTES;
  let buffer = Buffer.allocUnsafe(Math.min(most, size === 0 ? UNSIZED_CHUNK_BYTES : size + 1));
  let length = 0;
  let atEnd = false;
  return {
    /** Where the next bytes go; null when there is nothing more to read. */
    room(): Buffer | null {
      // A file that is as long as it says needs no second look.
      if (atEnd || length > maxBytes || (size > 0 && length === size)) return null;
      if (length === buffer.length) {
        const longer = Buffer.allocUnsafe(Math.min(most, 2 * length));
        buffer.copy(longer, 0, 0, length);
        buffer = longer;
      }
      return buffer.subarray(length);
    },
    took(count: number): void {
      length += count;
      atEnd = count === 0;
    },
    bytes: () => buffer.subarray(0, length),
  };
}

function toContent(bytes: Buffer, mode: number, options: ReadOptions): ReadFile {
  if (isTooLarge(bytes.length, options)) return tooLarge(options);
  const isCut = bytes.length > options.maxBytes;
  return { kind: "read", bytes: isCut ? bytes.subarray(0, options.maxBytes) : bytes, isCut, mode };
}

function boundFor(size: number, options: ReadOptions): ReadOptions {
  return size > 0 ? options : { ...options, maxBytes: Math.min(options.maxBytes, MAX_UNSIZED_BYTES) };
}

function isTooLarge(size: number, { maxBytes, larger = "refuse" }: ReadOptions): boolean {
  return larger === "refuse" && size > maxBytes;
}

function tooLarge({ maxBytes }: ReadOptions): FileRefusal {
  return { kind: "refused", reason: "tooLarge", message: `it is larger than ${maxBytes} bytes` };
}
