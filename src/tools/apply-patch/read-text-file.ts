/** Reads files that are to be patched: regular files of bounded size, in UTF-8. */
import { isUtf8 } from "node:buffer";
import { osErrorText } from "../../base/os-error.ts";
import { decodeFault } from "./decode-fault.ts";
import type { PatchFileSystem } from "./patch-file-system.ts";

export type ReadText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unreadable"; readonly reason: string };

export type ReadBytes =
  | { readonly kind: "bytes"; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Larger files are not patched: their old and new content are held in memory. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

export async function readBytes(fs: PatchFileSystem, path: string): Promise<ReadBytes> {
  try {
    const stats = await fs.stat(path);
    // Opening a pipe would wait for someone to write into it.
    if (!stats.isFile()) return { kind: "unreadable", reason: `path \`${path}\` is not a file` };
    if (stats.size > MAX_FILE_BYTES) {
      return { kind: "unreadable", reason: `file is too large to read: limit is ${MAX_FILE_BYTES} bytes` };
    }
    return { kind: "bytes", bytes: await fs.readFile(path), mode: stats.mode & 0o7777 };
  } catch (error) {
    return { kind: "unreadable", reason: osErrorText(error) };
  }
}

export async function readText(fs: PatchFileSystem, path: string): Promise<ReadText> {
  const read = await readBytes(fs, path);
  return read.kind === "bytes" ? decode(read.bytes) : read;
}

export function decode(bytes: Buffer): ReadText {
  return isUtf8(bytes)
    ? { kind: "text", text: bytes.toString("utf8") }
    : { kind: "unreadable", reason: decodeFault(bytes) };
}
