/** Copies a folder repeatedly; each run copies only changes since the previous one. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmSync,
  type Stats,
  symlinkSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { openRegularFileSync, openToAppendSync } from "../../base/open-regular-file.ts";

export interface FolderCopier {
  /**
   * Copies new and changed files, deletes removed ones, and returns the number of bytes by which the copy has grown.
   */
  run(): number;
  readonly files: () => number;
  /** Paths of all copied files, relative to the folder. */
  readonly paths: () => Iterable<string>;
}

export interface CopyOptions {
  readonly from: string;
  readonly to: string;
  /** Called with a path relative to the folder; an excluded folder is not entered. */
  readonly isExcluded: (path: string) => boolean;
  /** The number of bytes of a file to copy; null for all. A copy that is already longer is not truncated. */
  readonly endOf?: (path: string) => number | null;
  readonly onFile?: (count: number, path: string) => void;
}

interface Copied {
  readonly inode: number;
  readonly size: number;
  readonly mtimeMs: number;
}

const CHUNK_BYTES = 1 << 20;

export function createFolderCopier({
  from,
  to,
  isExcluded,
  endOf = () => null,
  onFile = () => {},
}: CopyOptions): FolderCopier {
  const known = new Map<string, Copied>();

  function copyFolder(path: string, seen: Set<string>): number {
    mkdirSync(join(to, path), { recursive: true, mode: 0o700 });
    let bytes = 0;
    for (const name of namesIn(join(from, path))) {
      const below = path === "" ? name : join(path, name);
      if (!isExcluded(below)) bytes += copyEntry(below, seen);
    }
    return bytes;
  }

  function copyEntry(path: string, seen: Set<string>): number {
    const found = lstatSync(join(from, path), { throwIfNoEntry: false });
    if (found === undefined) return 0;
    if (found.isDirectory()) return copyFolder(path, seen);
    const isLink = found.isSymbolicLink();
    // Sockets, pipes and devices cannot be copied.
    if (!isLink && !found.isFile()) return 0;
    const end = endOf(path);
    const before = known.get(path);
    // The file was created after the snapshot.
    if (end === 0 && before === undefined) return 0;
    seen.add(path);
    const now = { inode: found.ino, size: Math.min(found.size, end ?? found.size), mtimeMs: found.mtimeMs };
    if (before !== undefined && isSame(before, now)) return 0;
    if (before === undefined) onFile(seen.size, path);
    const size = isLink ? copyLink(path) : copyFile(path, found, before, end);
    known.set(path, { ...now, size });
    return size - (before?.size ?? 0);
  }

  function copyLink(path: string): number {
    rmSync(join(to, path), { force: true });
    symlinkSync(readlinkSync(join(from, path)), join(to, path));
    return 0;
  }

  /** History files only grow, so that new bytes are appended to their copy. Only the owner may read a copy. */
  function copyFile(path: string, found: Stats, before: Copied | undefined, end: number | null): number {
    const target = join(to, path);
    if (before?.inode === found.ino && path.endsWith(".jsonl") && found.size >= before.size)
      return before.size + append(join(from, path), target, before.size, end ?? Number.POSITIVE_INFINITY);
    rmSync(target, { force: true });
    copyFileSync(join(from, path), target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    chmodSync(target, found.mode & 0o700);
    if (end !== null && lstatSync(target).size > end) truncateSync(target, end);
    return lstatSync(target).size;
  }

  return {
    run() {
      const seen = new Set<string>();
      const bytes = copyFolder("", seen);
      for (const path of known.keys()) {
        if (seen.has(path)) continue;
        known.delete(path);
        rmSync(join(to, path), { force: true });
      }
      return bytes;
    },
    files: () => known.size,
    paths: () => known.keys(),
  };
}

function isSame(one: Copied, other: Copied): boolean {
  return one.inode === other.inode && one.size === other.size && one.mtimeMs === other.mtimeMs;
}

/** Empty if the folder was removed meanwhile. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Appends the bytes of the source from an offset up to an end, and returns their number. */
function append(source: string, target: string, from: number, end: number): number {
  const opened = openRegularFileSync(source);
  if (opened.kind === "refused") throw new Error(`cannot read ${source}: ${opened.message}`);
  const copy = openToAppendSync(target, 0o600);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    let at = from;
    for (;;) {
      const wanted = Math.max(0, Math.min(buffer.length, end - at));
      const count = wanted === 0 ? 0 : readSync(opened.file, buffer, 0, wanted, at);
      if (count === 0) return at - from;
      for (let written = 0; written < count; ) written += writeSync(copy, buffer, written, count - written);
      at += count;
    }
  } finally {
    closeSync(opened.file);
    closeSync(copy);
  }
}
