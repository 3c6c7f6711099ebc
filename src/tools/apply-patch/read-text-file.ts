/** Reads files that are to be patched: regular files of bounded size, in UTF-8. */
import { isUtf8 } from "node:buffer";
import type { Refused } from "../../base/open-regular-file.ts";
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
  const read = await fs.readRegularFile(path, { maxBytes: MAX_FILE_BYTES });
  if (read.kind === "read") return { kind: "bytes", bytes: read.bytes, mode: read.mode & 0o7777 };
  return { kind: "unreadable", reason: reasonOf(read, path) };
}

function reasonOf({ reason, message }: Refused, path: string): string {
  if (reason === "notRegular") return `path \`${path}\` is not a file`;
  return reason === "tooLarge" ? `file is too large to read: limit is ${MAX_FILE_BYTES} bytes` : message;
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
