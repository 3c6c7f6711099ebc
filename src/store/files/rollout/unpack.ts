/**
 * Decompresses untrusted zstd files in small steps, with memory bounded by the window. The format is that of Codex,
 * which stores inactive rollouts as `.jsonl.zst`.
 */
import { writeSync } from "node:fs";
import { Decompress } from "fzstd";
import { createTimeSlices } from "../../../base/time-slices.ts";
import { createFrameGuard, UnpackError } from "./frame-guard.ts";
import { readBytesAt } from "./raw-lines.ts";

/** The window that the zstd format recommends every decoder to support. */
export const MAX_WINDOW_BYTES = 8 * 1024 * 1024;
/** Longer threads are not packed; if other programs packed them, they are not read. */
export const MAX_UNPACKED_BYTES = 2 * 1024 ** 3;
/** Exempt from the ratio limit, so that small files may have any ratio. */
const RATIO_EXEMPT_BYTES = 64 * 1024 * 1024;
/** Threads compress to a tenth or a fiftieth of their size, a decompression bomb to less than a ten-thousandth. */
const MAX_RATIO = 256;
const CHUNK_BYTES = 16 * 1024;
/** The input of one step: four bytes may expand to 128 KiB, and other work must not wait for long. */
const STEP_BYTES = 256;

export interface UnpackOptions {
  /** A file descriptor. */
  readonly file: number;
  readonly now: () => number;
  /** Called with decompressed bytes, which the callee may keep. */
  readonly onBytes: (bytes: Uint8Array) => void;
}

/** Throws an `UnpackError` if the file exceeds a limit or is damaged; the bytes received so far are then invalid. */
export async function unpack({ file, now, onBytes }: UnpackOptions): Promise<void> {
  const guard = createFrameGuard(MAX_WINDOW_BYTES);
  let packed = 0;
  let unpacked = 0;
  const decoder = new Decompress((bytes) => {
    unpacked += bytes.length;
    if (unpacked > Math.min(MAX_UNPACKED_BYTES, RATIO_EXEMPT_BYTES + MAX_RATIO * packed))
      throw new UnpackError(`${packed} of its bytes unpack to more than ${unpacked - bytes.length}`);
    onBytes(bytes);
  });
  const push = (chunk: Uint8Array, isLast: boolean): void => {
    try {
      decoder.push(chunk, isLast);
    } catch (error) {
      if (isInputError(error)) throw new UnpackError("it is damaged");
      throw error;
    }
  };
  const slice = createTimeSlices(now);
  for (;;) {
    // A new buffer for each chunk, because the decoder keeps its input.
    const chunk = readBytesAt(file, packed, CHUNK_BYTES);
    if (chunk.length === 0) break;
    packed += chunk.length;
    guard.take(chunk);
    for (let at = 0; at < chunk.length; at += STEP_BYTES) {
      push(chunk.subarray(at, at + STEP_BYTES), false);
      await slice.pause();
    }
  }
  guard.end();
  push(new Uint8Array(0), true);
}

/**
 * Whether the decoder failed because of its input. Its messages, and those of runtime errors that bad input causes in
 * it, are of no use to users.
 */
function isInputError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "number" || error instanceof RangeError || error instanceof TypeError;
}

/** An `onBytes` callback that appends all bytes to an open file. */
export function appendTo(file: number): (bytes: Uint8Array) => void {
  return (bytes) => {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, null);
  };
}
