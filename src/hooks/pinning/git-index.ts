/**
 * Whether a repository's index lists submodules: git runs itself in them, with settings stored in the work
 * tree.
 */
import { statSync } from "node:fs";
import { stampOf } from "../../base/file-stamp.ts";
import { readRegularFileSync } from "../../base/read-regular-file.ts";

/**
 * Null where the index exists and cannot be read. The index must be a file that sandboxed commands cannot
 * write.
 */
export type HasSubmodules = (index: string) => boolean | null;

const MAX_INDEX_BYTES = 64 << 20;
const MAX_ENTRIES = 64;
const HEADER_BYTES = 12;
const MODE_OFFSET = 24;
const HASH_BYTES = 20;
const GITLINK = 0o160000;
const EXTENDED = 0x4000;
const NAME_BYTES = 0xfff;

/** Caches the result until the file changes. */
export function createSubmoduleLookup(): HasSubmodules {
  const known = new Map<string, { readonly stamp: string; readonly answer: boolean | null }>();
  return (index) => {
    const stats = statSync(index, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return false;
    const stamp = stampOf(stats);
    const before = known.get(index);
    if (before?.stamp === stamp) return before.answer;
    const read = readRegularFileSync(index, { maxBytes: MAX_INDEX_BYTES });
    const answer = read.kind === "read" ? hasGitlink(read.bytes) : null;
    known.delete(index);
    known.set(index, { stamp, answer });
    for (const oldest of known.keys()) {
      if (known.size <= MAX_ENTRIES) break;
      known.delete(oldest);
    }
    return answer;
  };
}

/** Null for an unknown index format. Only the modes and name lengths are parsed. */
export function hasGitlink(bytes: Buffer): boolean | null {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const count = bytes.readUInt32BE(8);
  const fixed = 40 + HASH_BYTES + 2;
  let at = HEADER_BYTES;
  for (let entry = 0; entry < count; entry += 1) {
    if (at + fixed > bytes.length) return null;
    if ((bytes.readUInt32BE(at + MODE_OFFSET) & 0o170000) === GITLINK) return true;
    const flags = bytes.readUInt16BE(at + fixed - 2);
    const name = at + fixed + ((flags & EXTENDED) === 0 ? 0 : 2);
    // The length in the flags saturates at its largest value; in every version the name ends with a zero
    // byte.
    const known = flags & NAME_BYTES;
    const end =
      version < 4 && known < NAME_BYTES ? name + known : bytes.indexOf(0, skipVarint(bytes, name, version));
    if (end < name || end > bytes.length) return null;
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return isWhole(bytes, at) ? false : null;
}

/**
 * Whether no extension moves entries elsewhere: into a shared index, or into directories that are not
 * expanded.
 */
function isWhole(bytes: Buffer, from: number): boolean {
  const end = bytes.length - HASH_BYTES;
  let at = from;
  while (at + 8 <= end) {
    const name = bytes.toString("latin1", at, at + 4);
    if (name === "link" || name === "sdir") return false;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return at === end;
}

/** In version 4 an entry begins with the number of bytes to drop from the previous name. */
function skipVarint(bytes: Buffer, from: number, version: number): number {
  if (version < 4) return from;
  let at = from;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0x80) !== 0) at += 1;
  return at + 1;
}
