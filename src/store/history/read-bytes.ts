import { readSync } from "node:fs";

/** The bytes at a place of an open file; fewer where the file ends before. */
export function readBytes(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, length));
  let filled = 0;
  while (filled < length) {
    const count = readSync(file, buffer, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}
