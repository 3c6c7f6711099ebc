/**
 * Packs and unpacks one rollout file. The new file is complete, synced and in place before the old one is removed: a
 * crash leaves the old file, or both with the same lines, of which the unpacked one takes precedence.
 */
import { createHash } from "node:crypto";
import { closeSync, lstatSync, type Stats } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { isFile, syncFolder } from "../../../base/file-system.ts";
import { openRegularFileSync } from "../../../base/open-regular-file.ts";
import { createTimeSlices } from "../../../base/time-slices.ts";
import { type AtomicFile, openAtomicFile } from "./atomic-file.ts";
import { readBytesAt } from "./raw-lines.ts";
import { packedPath } from "./rollout-name.ts";
import { unpack } from "./unpack.ts";

/** The suffix of an incomplete file. */
export const PACKING_SUFFIX = ".heddle-packing";

/** Each chunk is a separate frame; decoders read consecutive frames as one stream. */
const FRAME_BYTES = 256 * 1024;
/** The compression level of the peer. */
const LEVEL = 3;

export type Packing =
  | { readonly kind: "packed"; readonly path: string; readonly bytes: number }
  /** The file was not packed. */
  | { readonly kind: "left"; readonly why: string };

/** The caller holds the lease of the thread. */
export async function packFile(path: string, now: () => number): Promise<Packing> {
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before === undefined) return { kind: "left", why: "it is gone" };
  // The target of a symbolic link is not ours to pack.
  if (!before.isFile()) return { kind: "left", why: "it is not a file" };
  const target = packedPath(path);
  if (isFile(target) && !(await isPrefix(target, path, now)))
    return { kind: "left", why: `${target} has other lines` };
  const file = await openAtomicFile({ path: target, suffix: PACKING_SUFFIX });
  try {
    const { bytes, digest } = await packInto(file, path, now);
    await file.seal();
    const why =
      bytes >= before.size ? "it would not be smaller" : await findMismatch(file.temporary, digest, now);
    const isSame = isUnchanged(before, lstatSync(path, { throwIfNoEntry: false }));
    if (why !== null || !isSame) {
      await file.discard();
      return { kind: "left", why: why ?? "it has changed meanwhile" };
    }
    await file.commit({ modifiedAt: before.mtime });
    await removeFile(path);
    return { kind: "packed", path: target, bytes };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The size that the packed file would have. */
export async function packedBytes(path: string, now: () => number): Promise<number> {
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let bytes = 0;
  for await (const { frame } of frames(path, now)) bytes += frame.length;
  return Math.min(bytes, size);
}

/** Throws an error with a message for users if the file cannot be unpacked. Keeps an existing unpacked file. */
export async function unpackFile(path: string, target: string, now: () => number): Promise<void> {
  if (isFile(target)) return;
  const opened = openRegularFileSync(path);
  if (opened.kind === "refused") throw new Error(`cannot read ${path}: ${opened.message}`);
  const file = await openAtomicFile({ path: target, suffix: PACKING_SUFFIX });
  try {
    await unpack({ file: opened.file, now, onBytes: (bytes) => file.writeBytesSync(bytes) });
    await file.seal();
    await file.commit({ modifiedAt: opened.stats.mtime });
  } catch (error) {
    await file.discard();
    throw new Error(`cannot unpack ${path}: ${messageOf(error)}`, { cause: error });
  } finally {
    closeSync(opened.file);
  }
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await syncFolder(dirname(path));
}

async function packInto(file: AtomicFile, path: string, now: () => number) {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const { frame, lines } of frames(path, now)) {
    hash.update(lines);
    bytes += frame.length;
    file.writeBytesSync(frame);
  }
  return { bytes, digest: hash.digest("hex") };
}

/** Verifies that the packed file unpacks to the original; returns why not, or null. */
async function findMismatch(path: string, digest: string, now: () => number): Promise<string | null> {
  const opened = openRegularFileSync(path);
  if (opened.kind === "refused") return opened.message;
  const hash = createHash("sha256");
  try {
    await unpack({ file: opened.file, now, onBytes: (bytes) => void hash.update(bytes) });
  } catch (error) {
    return messageOf(error);
  } finally {
    closeSync(opened.file);
  }
  return hash.digest("hex") === digest ? null : "what was packed does not unpack to the same";
}

/** Whether the packed file is a prefix of the unpacked one: a crash during unpacking leaves both. */
async function isPrefix(packed: string, path: string, now: () => number): Promise<boolean> {
  const one = openRegularFileSync(packed);
  const other = openRegularFileSync(path);
  let at = 0;
  try {
    if (one.kind === "refused" || other.kind === "refused") return false;
    const compare = (bytes: Uint8Array): void => {
      if (!readBytesAt(other.file, at, bytes.length).equals(bytes)) throw new Error("they differ");
      at += bytes.length;
    };
    await unpack({ file: one.file, now, onBytes: compare });
    return true;
  } catch {
    return false;
  } finally {
    for (const opened of [one, other]) if (opened.kind === "open") closeSync(opened.file);
  }
}

async function* frames(path: string, now: () => number) {
  // The codec is loaded only when something is packed.
  const { Zstd } = await import("@hpcc-js/wasm-zstd");
  const zstd = await Zstd.load();
  const opened = openRegularFileSync(path);
  if (opened.kind === "refused") throw new Error(`cannot read ${path}: ${opened.message}`);
  const slice = createTimeSlices(now);
  try {
    for (let at = 0; ; ) {
      const lines = readBytesAt(opened.file, at, FRAME_BYTES);
      if (lines.length === 0) return;
      at += lines.length;
      yield { lines, frame: zstd.compress(lines, LEVEL) };
      await slice.pause();
    }
  } finally {
    closeSync(opened.file);
  }
}

function isUnchanged(before: Stats, now: Stats | undefined): boolean {
  return now?.ino === before.ino && now.size === before.size && now.mtimeMs === before.mtimeMs;
}
