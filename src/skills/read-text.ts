// Reads small text files, and says what is wrong with them in the peer's words.

import { isUtf8 } from "node:buffer";
import { readRegularFile } from "../base/read-regular-file.ts";

export type TextResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** The text of a file, or of its first `limit` bytes. */
export async function readText(path: string, limit: number): Promise<TextResult> {
  const read = await readRegularFile(path, { maxBytes: limit, larger: "cut", from: "own" });
  if (read.kind === "refused") return { ok: false, message: read.message };
  return decode(read.isTruncated ? withoutCutCharacter(read.bytes) : read.bytes);
}

function decode(bytes: Buffer): TextResult {
  return isUtf8(bytes)
    ? { ok: true, text: bytes.toString("utf8") }
    : { ok: false, message: describeFault(bytes) };
}

/** A UTF-8 character has at most four bytes, so a cut one is gone after dropping three. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  for (let cut = 0; cut <= 3; cut++) {
    const shorter = bytes.subarray(0, bytes.length - cut);
    if (isUtf8(shorter)) return shorter;
  }
  return bytes;
}

function describeFault(bytes: Buffer): string {
  const start = validLength(bytes);
  const rest = bytes.subarray(start);
  let length = 1;
  while (length < rest.length && rest.subarray(0, length + 1).toString("utf8") === "\ufffd") length++;
  return length === rest.length && isCharacterStart(rest)
    ? `incomplete utf-8 byte sequence from index ${start}`
    : `invalid utf-8 sequence of ${length} bytes from index ${start}`;
}

/** How many bytes at the beginning are whole characters. */
function validLength(bytes: Buffer): number {
  const again = Buffer.from(bytes.toString("utf8"));
  let length = 0;
  while (length < bytes.length && bytes[length] === again[length]) length++;
  while (!isUtf8(bytes.subarray(0, length))) length--;
  return length;
}

/** Whether bytes that are no whole character could become one if more followed. */
function isCharacterStart(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
