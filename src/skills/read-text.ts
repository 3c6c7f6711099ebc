// Reads small text files, with the error messages of the peer.

import { isUtf8 } from "node:buffer";
import { readRegularFile } from "../base/read-regular-file.ts";

export type TextResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** The text of a file, or of its first `limit` bytes. */
export async function readTextFile(path: string, limit: number): Promise<TextResult> {
  const read = await readRegularFile(path, { maxBytes: limit, larger: "cut", from: "own" });
  if (read.kind === "refused") return { ok: false, message: read.message };
  return decode(read.isTruncated ? withoutPartialCharacter(read.bytes) : read.bytes);
}

function decode(bytes: Buffer): TextResult {
  return isUtf8(bytes)
    ? { ok: true, text: bytes.toString("utf8") }
    : { ok: false, message: describeInvalidUtf8(bytes) };
}

/** A UTF-8 character has at most four bytes, so a partial one is removed by dropping at most three. */
function withoutPartialCharacter(bytes: Buffer): Buffer {
  for (let dropped = 0; dropped <= 3; dropped++) {
    const shorter = bytes.subarray(0, bytes.length - dropped);
    if (isUtf8(shorter)) return shorter;
  }
  return bytes;
}

function describeInvalidUtf8(bytes: Buffer): string {
  const start = validLength(bytes);
  const rest = bytes.subarray(start);
  let length = 1;
  while (length < rest.length && rest.subarray(0, length + 1).toString("utf8") === "\ufffd") length++;
  return length === rest.length && isCharacterStart(rest)
    ? `incomplete utf-8 byte sequence from index ${start}`
    : `invalid utf-8 sequence of ${length} bytes from index ${start}`;
}

/** The length of the longest valid UTF-8 prefix. */
function validLength(bytes: Buffer): number {
  const again = Buffer.from(bytes.toString("utf8"));
  let length = 0;
  while (length < bytes.length && bytes[length] === again[length]) length++;
  while (!isUtf8(bytes.subarray(0, length))) length--;
  return length;
}

/** Whether the bytes are a valid prefix of a character. */
function isCharacterStart(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
