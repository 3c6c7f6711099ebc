/**
 * Digests of files. Pipes, devices and endless files are reported as `odd`. Timestamps do not reflect every
 * write (a page mapped into memory is written without updating them), so that digests are cached only for
 * files that no sandboxed command can write.
 */
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import { stampOf } from "../../base/file-stamp.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";
import { runWithDeadline } from "../../base/thread-pool.ts";
import type { Digest } from "./judge-content.ts";

/** Larger files cannot be pinned. */
export const MAX_PINNED_BYTES = 32 * 1024 * 1024;
const MAX_ENTRIES = 1024;
/** Hashing yields to the event loop after this many bytes. */
const SLICE_BYTES = 1024 * 1024;
/** ctime cannot be set by a process; within this time a second write may not change it. */
const STABLE_AFTER_MS = 2000;

export interface FileDigests {
  /** Always reads the file. */
  fresh(path: string): Promise<Digest>;
  /** For files that no sandboxed command can write: cached until the timestamps change. */
  cached(path: string): Promise<Digest>;
}

export function createFileDigests(clock: Clock): FileDigests {
  const cache = new Map<string, { readonly stamp: string; readonly digest: Digest }>();

  async function fresh(path: string): Promise<Digest> {
    const stats = await statRegularFile(path);
    return typeof stats === "string" ? stats : digestOf(path);
  }

  async function cached(path: string): Promise<Digest> {
    const stats = await statRegularFile(path);
    if (typeof stats === "string") return stats;
    const stamp = stampOf(stats);
    const before = cache.get(path);
    if (before?.stamp === stamp) return before.digest;
    const digest = await digestOf(path);
    cache.delete(path);
    if (clock.now() - Number(stats.ctimeMs) > STABLE_AFTER_MS) cache.set(path, { stamp, digest });
    for (const oldest of cache.keys()) {
      if (cache.size <= MAX_ENTRIES) break;
      cache.delete(oldest);
    }
    return digest;
  }

  return { fresh, cached };
}

/** The file's stats, or what is found in place of a regular file. */
async function statRegularFile(path: string): Promise<BigIntStats | Exclude<Digest, `sha256:${string}`>> {
  const found = await runWithDeadline(path, () => statOf(path));
  const stats = found.kind === "done" ? found.value : null;
  if (stats === "missing") return "absent";
  if (stats === null) return "odd";
  if (stats.isDirectory()) return "folder";
  return stats.isFile() ? stats : "odd";
}

async function statOf(path: string): Promise<BigIntStats | "missing" | null> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A name that is too long cannot exist.
    return code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG" ? "missing" : null;
  }
}

async function digestOf(path: string): Promise<Digest> {
  const read = await readRegularFile(path, { maxBytes: MAX_PINNED_BYTES });
  if (read.kind === "refused") return read.reason === "missing" ? "absent" : "odd";
  const hash = createHash("sha256");
  for (let at = 0; at < read.bytes.length; at += SLICE_BYTES) {
    if (at > 0) await nextTick();
    hash.update(read.bytes.subarray(at, at + SLICE_BYTES));
  }
  return `sha256:${hash.digest("hex")}`;
}
