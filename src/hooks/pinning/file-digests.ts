/**
 * Digests of files. A pipe, a device or a file that never ends is only called odd. The times of a file do not show every
 * write to it (a page that is mapped into memory is written to without them), so that a digest is remembered only for
 * files that no confined command can write.
 */
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";
import { runWithDeadline } from "../../base/thread-pool.ts";
import { stampOf } from "../../config/file-cache.ts";
import type { Digest } from "./judge-content.ts";

/** Larger programs cannot be pinned. */
export const MAX_PINNED_BYTES = 32 * 1024 * 1024;
const MAX_ENTRIES = 1024;
/** As much as is hashed before others have their turn. */
const SLICE_BYTES = 1024 * 1024;
/** The time of the last change cannot be set; within this it may not show another one. */
const SETTLED_MS = 2000;

export interface FileDigests {
  /** From what the file holds now. */
  fresh(path: string): Promise<Digest>;
  /** Of a file that no confined command can write: made again when its times have changed. */
  remembered(path: string): Promise<Digest>;
}

export function createFileDigests(clock: Clock): FileDigests {
  const known = new Map<string, { readonly stamp: string; readonly digest: Digest }>();

  async function fresh(path: string): Promise<Digest> {
    const stats = await lookAt(path);
    return typeof stats === "string" ? stats : digestOf(path);
  }

  async function remembered(path: string): Promise<Digest> {
    const stats = await lookAt(path);
    if (typeof stats === "string") return stats;
    const stamp = stampOf(stats);
    const before = known.get(path);
    if (before?.stamp === stamp) return before.digest;
    const digest = await digestOf(path);
    known.delete(path);
    if (clock.now() - Number(stats.ctimeMs) > SETTLED_MS) known.set(path, { stamp, digest });
    for (const oldest of known.keys()) {
      if (known.size <= MAX_ENTRIES) break;
      known.delete(oldest);
    }
    return digest;
  }

  return { fresh, remembered };
}

/** What is there in place of a regular file, or its state. */
async function lookAt(path: string): Promise<BigIntStats | Exclude<Digest, `sha256:${string}`>> {
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
    // A name that is too long names nothing.
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
