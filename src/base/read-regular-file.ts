/**
 * The only way to read a file with an untrusted path: regular files only, never more bytes than a limit whatever their
 * reported size, and with a deadline if a model or a client has named the path.
 */
import { closeSync, readSync } from "node:fs";
import {
  type FileRefusal,
  type OpenFileSync,
  openRegularFile,
  openRegularFileSync,
  toFileRefusal,
} from "./open-regular-file.ts";
import { FILE_DEADLINE_MS, runWithDeadline } from "./thread-pool.ts";

export interface ReadFileOptions {
  readonly maxBytes: number;
  /** How a file with more bytes is handled; defaults to `refuse`. */
  readonly larger?: "refuse" | "cut";
}

export interface PooledReadFileOptions extends ReadFileOptions {
  /** `own` for files of the home, configuration or project; `outside` (the default) for paths from a model or client. */
  readonly from?: "outside" | "own";
}

export interface FileContent {
  readonly kind: "read";
  readonly bytes: Buffer;
  /** Whether the file has more bytes. */
  readonly isTruncated: boolean;
  /** File type and permission bits. */
  readonly mode: number;
}

export type ReadFileOutcome = FileContent | FileRefusal;

/** Files in /proc report size 0 although they have content. No useful one is longer, and some never end. */
export const MAX_UNSIZED_BYTES = 16 * 1024 * 1024;
const SMALL_BYTES = 64 * 1024;
const UNSIZED_CHUNK_BYTES = 64 * 1024;
/** Some files in /proc reject smaller reads. */
const PAGE_BYTES = 4096;

export async function readRegularFile(
  path: string,
  options: PooledReadFileOptions,
): Promise<ReadFileOutcome> {
  if (options.from === "own") return readOwn(path, options);
  const outcome = await runWithDeadline(path, () => readInPool(path, options));
  if (outcome.kind === "done") return outcome.value;
  const message = `it could not be read within ${FILE_DEADLINE_MS / 1000} seconds`;
  return { kind: "refused", reason: "timeout", message };
}

/** Small and missing files are read synchronously: the round trip to the thread pool takes longer than the read. */
function readOwn(path: string, options: ReadFileOptions): ReadFileOutcome | Promise<ReadFileOutcome> {
  const opened = openRegularFileSync(path);
  if (opened.kind === "refused") return opened;
  if (opened.stats.size <= SMALL_BYTES) return readOpened(opened, options);
  closeSync(opened.file);
  return readInPool(path, options);
}

async function readInPool(path: string, requested: ReadFileOptions): Promise<ReadFileOutcome> {
  const opened = await openRegularFile(path);
  if (opened.kind === "refused") return opened;
  const { file, stats } = opened;
  const options = limitFor(stats.size, requested);
  try {
    if (isTooLarge(stats.size, options)) return tooLarge(options);
    const buffer = createReadBuffer(stats.size, options.maxBytes);
    for (let free = buffer.free(); free !== null; free = buffer.free()) {
      const { bytesRead } = await file.read(free, 0, free.length, null);
      buffer.advance(bytesRead);
    }
    return toContent(buffer.bytes(), stats.mode, options);
  } catch (error) {
    return toFileRefusal(error);
  } finally {
    await file.close();
  }
}

/** The synchronous version, for small files that are most likely in the page cache. */
export function readRegularFileSync(path: string, requested: ReadFileOptions): ReadFileOutcome {
  const opened = openRegularFileSync(path);
  return opened.kind === "refused" ? opened : readOpened(opened, requested);
}

/** Reads an open file, and closes it. */
function readOpened({ file, stats }: OpenFileSync, requested: ReadFileOptions): ReadFileOutcome {
  const options = limitFor(stats.size, requested);
  try {
    if (isTooLarge(stats.size, options)) return tooLarge(options);
    const buffer = createReadBuffer(stats.size, options.maxBytes);
    for (let free = buffer.free(); free !== null; free = buffer.free()) {
      buffer.advance(readSync(file, free, 0, free.length, null));
    }
    return toContent(buffer.bytes(), stats.mode, options);
  } catch (error) {
    return toFileRefusal(error);
  } finally {
    closeSync(file);
  }
}

/** The text of a small file; null if it cannot be read. */
export function readTextSync(path: string, maxBytes: number): string | null {
  const read = readRegularFileSync(path, { maxBytes });
  return read.kind === "read" ? read.bytes.toString("utf8") : null;
}

/** A buffer that grows while reading, to a little more than `maxBytes`, so that a longer file is detected. */
function createReadBuffer(size: number, maxBytes: number) {
  const maxCapacity = Math.ceil((maxBytes + 1) / PAGE_BYTES) * PAGE_BYTES;
  let buffer = Buffer.allocUnsafe(Math.min(maxCapacity, size === 0 ? UNSIZED_CHUNK_BYTES : size + 1));
  let length = 0;
  let atEnd = false;
  return {
    /** The free part for the next read; null when reading is done. */
    free(): Buffer | null {
      // A file of the reported size needs no further read to detect its end.
      if (atEnd || length > maxBytes || (size > 0 && length === size)) return null;
      if (length === buffer.length) {
        const longer = Buffer.allocUnsafe(Math.min(maxCapacity, 2 * length));
        buffer.copy(longer, 0, 0, length);
        buffer = longer;
      }
      return buffer.subarray(length);
    },
    advance(count: number): void {
      length += count;
      atEnd = count === 0;
    },
    bytes: () => buffer.subarray(0, length),
  };
}

function toContent(bytes: Buffer, mode: number, options: ReadFileOptions): ReadFileOutcome {
  if (isTooLarge(bytes.length, options)) return tooLarge(options);
  const isTruncated = bytes.length > options.maxBytes;
  return {
    kind: "read",
    bytes: isTruncated ? bytes.subarray(0, options.maxBytes) : bytes,
    isTruncated,
    mode,
  };
}

function limitFor(size: number, options: ReadFileOptions): ReadFileOptions {
  return size > 0 ? options : { ...options, maxBytes: Math.min(options.maxBytes, MAX_UNSIZED_BYTES) };
}

function isTooLarge(size: number, { maxBytes, larger = "refuse" }: ReadFileOptions): boolean {
  return larger === "refuse" && size > maxBytes;
}

function tooLarge({ maxBytes }: ReadFileOptions): FileRefusal {
  return { kind: "refused", reason: "tooLarge", message: `it is larger than ${maxBytes} bytes` };
}
