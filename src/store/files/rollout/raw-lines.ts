/**
 * Reads the lines of a file as bytes with offsets, forwards and backwards; memory is bounded by the maximum line
 * length.
 */
import { read, readSync } from "node:fs";
import { promisify } from "node:util";

export interface RawLine {
  readonly offset: number;
  /** Includes the line break, if there is one. */
  readonly length: number;
  /** Null if the line exceeds the maximum length. */
  readonly text: string | null;
  /** False for a last line without a line break: its writer died or is still writing. */
  readonly terminated: boolean;
}

/** The part of an open file that readers need. */
export interface ReadableFile {
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

const readAt = promisify(read);

/** Reads through the thread pool, for long files. */
export function toReadable(file: number): ReadableFile {
  return { read: (buffer, offset, length, position) => readAt(file, buffer, offset, length, position) };
}

export interface Range {
  readonly from: number;
  /** The read ends earlier at the end of the file. */
  readonly to: number;
}

export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Many readers need one line only: new memory costs more than the read itself. */
const FIRST_CHUNK_BYTES = 16 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** By which each chunk is longer than the one before it. */
const CHUNK_GROWTH = 4;
const NEWLINE = 10;

/** The lines that begin in the range, in batches of one chunk each. */
export async function* forwardLines(
  file: ReadableFile,
  { from, to }: Range,
  maxLineBytes = DEFAULT_MAX_LINE_BYTES,
): AsyncGenerator<RawLine[]> {
  const partial = createPartialLine(maxLineBytes);
  let lineStart = from;
  let at = from;
  let chunkBytes = FIRST_CHUNK_BYTES;
  while (at < to) {
    const chunk = await readChunk(file, at, Math.min(chunkBytes, to - at));
    chunkBytes = Math.min(chunkBytes * CHUNK_GROWTH, CHUNK_BYTES);
    if (chunk.length === 0) break;
    const lines: RawLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      partial.append(chunk.subarray(start, end));
      const length = at + end + 1 - lineStart;
      lines.push({ offset: lineStart, length, text: partial.take(), terminated: true });
      lineStart += length;
      start = end + 1;
    }
    partial.append(chunk.subarray(start));
    at += chunk.length;
    if (lines.length > 0) yield lines;
  }
  if (lineStart < at) {
    yield [{ offset: lineStart, length: at - lineStart, text: partial.take(), terminated: false }];
  }
}

export interface BackwardOptions {
  /** Only lines that end at or before this offset are returned. */
  readonly before: number;
  readonly limit: number;
  readonly maxLineBytes?: number;
}

/** Up to `limit` lines, last one first. The next page ends at the offset of the last returned line. */
export async function backwardLines(file: ReadableFile, options: BackwardOptions): Promise<RawLine[]> {
  const { before, limit, maxLineBytes = DEFAULT_MAX_LINE_BYTES } = options;
  const partial = createPartialLine(maxLineBytes);
  const lines: RawLine[] = [];
  let end = before;
  let at = before;
  const finish = (offset: number): void => {
    const text = partial.take();
    const terminated = partial.endedWithNewline();
    lines.push({ offset, length: end - offset, text, terminated });
    end = offset;
  };
  let chunkBytes = FIRST_CHUNK_BYTES;
  while (at > 0 && lines.length < limit) {
    const size = Math.min(chunkBytes, at);
    chunkBytes = Math.min(chunkBytes * CHUNK_GROWTH, CHUNK_BYTES);
    const base = at - size;
    const chunk = await readChunk(file, base, size);
    if (chunk.length < size) return lines;
    let rest = size;
    while (lines.length < limit) {
      // The line break at the end of the current line is part of it, not a separator.
      const search = Math.min(rest - 1, end - 2 - base);
      const border = search < 0 ? -1 : chunk.lastIndexOf(NEWLINE, search);
      if (border < 0) break;
      partial.prepend(chunk.subarray(border + 1, rest));
      finish(base + border + 1);
      rest = border + 1;
    }
    partial.prepend(chunk.subarray(0, rest));
    at = base;
  }
  if (at === 0 && end > 0 && lines.length < limit) finish(0);
  return lines;
}

/**
 * The offset of the last line before a position that contains these bytes; null if there is none. Lines are not parsed.
 */
export async function lastLineWith(
  file: ReadableFile,
  bytes: Uint8Array,
  before: number,
): Promise<number | null> {
  const found = await lastIndexOf(file, bytes, before);
  if (found === null) return null;
  const border = await lastIndexOf(file, Uint8Array.of(NEWLINE), found);
  return border === null ? 0 : border + 1;
}

async function lastIndexOf(file: ReadableFile, bytes: Uint8Array, before: number): Promise<number | null> {
  for (let end = before; end >= bytes.length; ) {
    const size = Math.min(CHUNK_BYTES, end);
    const base = end - size;
    const at = (await readChunk(file, base, size)).lastIndexOf(bytes);
    if (at >= 0) return base + at;
    if (base === 0) return null;
    // Overlaps the next chunk, so that a match across the boundary is found.
    end = base + bytes.length - 1;
  }
  return null;
}

/** Collects the pieces of a line across chunks, and drops them when the line exceeds the limit. */
function createPartialLine(maxBytes: number) {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let newline = false;
  const add = (piece: Uint8Array, put: () => void): void => {
    size += piece.length;
    if (size > maxBytes) pieces = [];
    else if (piece.length > 0) put();
  };
  return {
    append: (piece: Uint8Array) => add(piece, () => pieces.push(piece)),
    prepend(piece: Uint8Array) {
      if (size === 0) newline = piece.at(-1) === NEWLINE;
      add(piece, () => pieces.unshift(piece));
    },
    take(): string | null {
      const [only] = pieces;
      const bytes = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
      const text =
        size > maxBytes ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
      pieces = [];
      size = 0;
      return text;
    },
    endedWithNewline: () => newline,
  };
}

async function readChunk(file: ReadableFile, position: number, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(buffer, filled, size - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Reads bytes at a position of an open file; fewer at the end of the file. */
export function readBytesAt(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, length));
  return buffer.subarray(0, readBytesInto(buffer, file, position));
}

/** Fills the buffer from a position of an open file, and returns the number of bytes. */
export function readBytesInto(buffer: Buffer, file: number, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const count = readSync(file, buffer, filled, buffer.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}
