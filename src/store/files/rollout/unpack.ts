/**
 * Unpacks zstd that nobody vouches for, piece by piece, in memory that a window bounds. The form is that of Codex, which
 * keeps rollouts that have rested as `.jsonl.zst`.
 */
import { writeSync } from "node:fs";
import { Decompress } from "fzstd";
import { createTimeSlices } from "../../../base/time-slices.ts";
import { createFrameGuard, UnpackError } from "./frame-guard.ts";
import { readBytes } from "./raw-lines.ts";

/** What the form asks every reader to be able to hold. */
export const MAX_WINDOW_BYTES = 8 * 1024 * 1024;
/** Longer threads are not packed, and not read where others have packed them. */
export const MAX_UNPACKED_BYTES = 2 * 1024 ** 3;
/** So much may come of whatever few bytes. */
const FREE_BYTES = 64 * 1024 * 1024;
/** What is said in a thread shrinks to a tenth or a fiftieth; a bomb to less than a ten thousandth. */
const MAX_RATIO = 256;
const CHUNK_BYTES = 16 * 1024;
/** What is unpacked at once: four bytes may stand for 128 KiB, and nothing else is to wait for long. */
const STEP_BYTES = 256;

export interface UnpackOptions {
  /** An open file. */
  readonly file: number;
  readonly now: () => number;
  /** Receives what has been unpacked; what it is given is its own. */
  readonly onBytes: (bytes: Uint8Array) => void;
}

/** Throws in words where a file is not to be unpacked, or cannot be; what was received is then worth nothing. */
export async function unpack({ file, now, onBytes }: UnpackOptions): Promise<void> {
  const guard = createFrameGuard(MAX_WINDOW_BYTES);
  let packed = 0;
  let unpacked = 0;
  const decoder = new Decompress((bytes) => {
    unpacked += bytes.length;
    if (unpacked > Math.min(MAX_UNPACKED_BYTES, FREE_BYTES + MAX_RATIO * packed))
      throw new UnpackError(`${packed} of its bytes unpack to more than ${unpacked - bytes.length}`);
    onBytes(bytes);
  });
  const push = (chunk: Uint8Array, isLast: boolean): void => {
    try {
      decoder.push(chunk, isLast);
    } catch (error) {
      if (isFault(error)) throw new UnpackError("it is damaged");
      throw error;
    }
  };
  const slice = createTimeSlices(now);
  for (;;) {
    // The decoder keeps what it is given.
    const chunk = readBytes(file, packed, CHUNK_BYTES);
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

/** The decoder's own words mean nothing to who reads them, and neither do those of the machine that it breaks. */
function isFault(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "number" || error instanceof RangeError || error instanceof TypeError;
}

/** For `onBytes`: all of them, at the end of an open file. */
export function appendTo(file: number): (bytes: Uint8Array) => void {
  return (bytes) => {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, null);
  };
}
