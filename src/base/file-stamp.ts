import { type BigIntStats, statSync } from "node:fs";

/** Timestamps on the coarsest file systems in use have a resolution of two seconds. */
const COARSE_RESOLUTION_MS = 2000;
/** Where timestamps have digits below the millisecond, the kernel's clock tick is their resolution: 10 ms at most. */
const FINE_RESOLUTION_MS = 50;
const NS_PER_MS = 1_000_000n;

/** Changes when the content of the file changes, once `isSettled` holds for it. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: FileStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

export type FileStats = Pick<BigIntStats, "dev" | "ino" | "size" | "mtimeMs" | "mtimeNs" | "ctimeNs">;

/** Whether the next write is certain to change the stamp of the file: its timestamp is older than their resolution. */
export function isSettled({ mtimeMs, mtimeNs }: FileStats, nowMs: number): boolean {
  const resolutionMs = mtimeNs % NS_PER_MS === 0n ? COARSE_RESOLUTION_MS : FINE_RESOLUTION_MS;
  return nowMs - Number(mtimeMs) > resolutionMs;
}

/** Null for a missing or unreadable file. */
export function statOrNull(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
