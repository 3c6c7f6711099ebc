/**
 * The file system port of patches, which tests can make fail, with reading and path resolution on top of it.
 */
import { isUtf8 } from "node:buffer";
import * as node from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { FileRefusal } from "../../base/open-regular-file.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";

/** Node's own functions. */
export type PatchFileSystem = Pick<
  typeof node,
  "link" | "lstat" | "mkdir" | "open" | "readlink" | "realpath" | "rename" | "rmdir" | "stat" | "unlink"
> & { readonly readRegularFile: typeof readRegularFile };

export const nodeFileSystem: PatchFileSystem = { ...node, readRegularFile };

export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

export type ReadText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unreadable"; readonly reason: string };

export type ReadBytes =
  | { readonly kind: "bytes"; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Larger files are not patched, because their old and new content are held in memory. */
export const MAX_PATCHED_FILE_BYTES = 64 * 1024 * 1024;

export async function readPatchedBytes(fs: PatchFileSystem, path: string): Promise<ReadBytes> {
  const read = await fs.readRegularFile(path, { maxBytes: MAX_PATCHED_FILE_BYTES });
  if (read.kind === "read") return { kind: "bytes", bytes: read.bytes, mode: read.mode & 0o7777 };
  return { kind: "unreadable", reason: reasonOf(read, path) };
}

function reasonOf({ reason, message }: FileRefusal, path: string): string {
  if (reason === "notRegular") return `path \`${path}\` is not a file`;
  return reason === "tooLarge"
    ? `file is too large to read: limit is ${MAX_PATCHED_FILE_BYTES} bytes`
    : message;
}

export async function readText(fs: PatchFileSystem, path: string): Promise<ReadText> {
  const read = await readPatchedBytes(fs, path);
  return read.kind === "bytes" ? decode(read.bytes) : read;
}

export function decode(bytes: Buffer): ReadText {
  return isUtf8(bytes)
    ? { kind: "text", text: bytes.toString("utf8") }
    : { kind: "unreadable", reason: decodeFault(bytes) };
}

/** Describes where bytes stop being UTF-8, in the wording that clients know. Only for invalid bytes. */
export function decodeFault(bytes: Uint8Array): string {
  let index = 0;
  while (index < bytes.length) {
    const { length, valid } = sequenceAt(bytes, index);
    if (!valid) {
      return index + length >= bytes.length && isCutShort(bytes, index, length)
        ? `incomplete utf-8 byte sequence from index ${index}`
        : `invalid utf-8 sequence of ${length} bytes from index ${index}`;
    }
    index += length;
  }
  return "invalid utf-8";
}

/** The longest prefix of a character at this index: a whole one, or an invalid sequence. */
function sequenceAt(bytes: Uint8Array, index: number): { length: number; valid: boolean } {
  const needed = neededAt(bytes, index);
  if (needed === 0) return { length: 1, valid: false };
  let length = 1;
  while (length < needed && isContinuation(bytes, index, length)) length += 1;
  return { length, valid: length === needed };
}

function neededAt(bytes: Uint8Array, index: number): number {
  const lead = bytes[index] ?? 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

function isContinuation(bytes: Uint8Array, index: number, offset: number): boolean {
  const byte = bytes[index + offset];
  if (byte === undefined || byte < 0x80 || byte > 0xbf) return false;
  if (offset > 1) return true;
  const lead = bytes[index];
  // Overlong forms, surrogates and code points above the last plane.
  if (lead === 0xe0) return byte >= 0xa0;
  if (lead === 0xed) return byte <= 0x9f;
  if (lead === 0xf0) return byte >= 0x90;
  return lead === 0xf4 ? byte <= 0x8f : true;
}

function isCutShort(bytes: Uint8Array, index: number, length: number): boolean {
  return neededAt(bytes, index) > length;
}

const MAX_LINKS = 40;

/**
 * The file that a write to `path` would change: symlinks are followed to the end, even to a missing file in a
 * missing directory. A path that cannot be resolved, because of permissions or a symlink loop, cannot be
 * written either and is returned unchanged.
 */
export async function resolvePatchTarget(fs: PatchFileSystem, path: string, links = 0): Promise<string> {
  const known = await fs.realpath(path).catch(() => undefined);
  if (known !== undefined) return known;
  const folder = dirname(path);
  if (folder === path) return path;
  const real = join(await resolvePatchTarget(fs, folder, links), basename(path));
  const pointed = await fs.readlink(real).catch(() => undefined);
  if (pointed === undefined || links === MAX_LINKS) return real;
  return resolvePatchTarget(fs, resolve(dirname(real), pointed), links + 1);
}

/** The entry that a removal of `path` would remove: the symlink itself and not its target. */
export async function resolveEntry(fs: PatchFileSystem, path: string): Promise<string> {
  const folder = dirname(path);
  return folder === path ? path : join(await resolvePatchTarget(fs, folder), basename(path));
}
