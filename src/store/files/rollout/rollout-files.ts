/**
 * Opens rollout files for reading, plain or packed. Pages are read at line offsets, which a packed file does not have:
 * it is unpacked once into an unlinked temporary file, which is cached for later pages and disappears with the process.
 */
import { closeSync, fstatSync, mkdirSync, type Stats, unlinkSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { openRegularFileSync, openToAppendSync } from "../../../base/open-regular-file.ts";
import { UnpackError } from "./frame-guard.ts";
import { isPacked } from "./rollout-name.ts";
import { appendTo, unpack } from "./unpack.ts";

export interface RolloutFile {
  /** Readable at any offset; for a packed file, the unpacked copy. */
  readonly file: number;
  /** The stats of the file at the path. */
  readonly stats: Pick<Stats, "size" | "ino" | "mtimeMs">;
  close(): void;
}

export type UnreadableReason = "missing" | "notAFile" | "compressed" | "other";

export interface UnreadableFile {
  readonly kind: "unreadable";
  readonly reason: UnreadableReason;
  /** A clause about the file, such as "it is not a file". */
  readonly message: string;
}

export type OpenedFile = ({ readonly kind: "open" } & RolloutFile) | UnreadableFile;

export interface RolloutFiles {
  open(path: string): OpenedFile | Promise<OpenedFile>;
}

/** For callers that never have packed files. */
export const plainFiles: RolloutFiles = {
  open: (path) =>
    isPacked(path)
      ? { kind: "unreadable", reason: "compressed", message: "it is packed; unpack it first, with `zstd -d`" }
      : openPlain(path),
};

export interface UnpackingOptions {
  readonly home: string;
  readonly now: () => number;
  readonly createId: () => string;
  /** The size limit of all cached copies except the most recent one. */
  readonly maxKeptBytes?: number;
}

const MAX_KEPT_BYTES = 256 * 1024 * 1024;
const MAX_KEPT_FILES = 16;
/** Limit of cached failures: a file that cannot be unpacked is not retried until it changes. */
const MAX_REFUSED = 1000;

interface Copy {
  readonly file: number;
  readonly bytes: number;
  readers: number;
}

export class UnpackedFiles implements RolloutFiles {
  readonly #options: UnpackingOptions;
  /** Least recently used first. */
  readonly #copies = new Map<string, Copy>();
  readonly #unpacking = new Map<string, Promise<UnreadableFile | null>>();
  readonly #refused = new Map<string, UnreadableFile>();
  #isClosed = false;

  constructor(options: UnpackingOptions) {
    this.#options = options;
  }

  open(path: string): OpenedFile | Promise<OpenedFile> {
    return isPacked(path) ? this.#openPacked(path) : openPlain(path);
  }

  close(): void {
    this.#isClosed = true;
    for (const [key, { readers }] of this.#copies) if (readers === 0) this.#drop(key);
  }

  async #openPacked(path: string): Promise<OpenedFile> {
    const opened = openPlain(path);
    if (opened.kind === "unreadable") return opened;
    const { stats } = opened;
    const key = `${stats.ino}:${stats.size}:${stats.mtimeMs}:${path}`;
    try {
      for (;;) {
        const copy = this.#copies.get(key);
        if (copy !== undefined) return { kind: "open", stats, ...this.#lend(key, copy) };
        const refused = this.#refused.get(key) ?? (await this.#unpackOnce(key, opened.file));
        if (refused !== null) return refused;
      }
    } finally {
      opened.close();
    }
  }

  #lend(key: string, copy: Copy): Pick<RolloutFile, "file" | "close"> {
    copy.readers += 1;
    this.#copies.delete(key);
    this.#copies.set(key, copy);
    let isOpen = true;
    return {
      file: copy.file,
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        copy.readers -= 1;
        if (this.#isClosed && copy.readers === 0) this.#drop(key);
        else this.#makeRoom();
      },
    };
  }

  #unpackOnce(key: string, packed: number): Promise<UnreadableFile | null> {
    const known = this.#unpacking.get(key);
    if (known !== undefined) return known;
    const work = this.#unpack(key, packed).finally(() => this.#unpacking.delete(key));
    this.#unpacking.set(key, work);
    return work;
  }

  async #unpack(key: string, packed: number): Promise<UnreadableFile | null> {
    let file: number | null = null;
    try {
      file = this.#openNameless();
      await unpack({ file: packed, now: this.#options.now, onBytes: appendTo(file) });
      this.#copies.set(key, { file, bytes: fstatSync(file).size, readers: 0 });
      return null;
    } catch (error) {
      if (file !== null) closeSync(file);
      const message = `it cannot be unpacked: ${messageOf(error)}`;
      const refused: UnreadableFile = { kind: "unreadable", reason: "compressed", message };
      // An error such as a full disk is not cached, because it is not the file's fault.
      if (error instanceof UnpackError) this.#refuse(key, refused);
      return refused;
    }
  }

  #refuse(key: string, refused: UnreadableFile): void {
    if (this.#refused.size >= MAX_REFUSED) this.#refused.clear();
    this.#refused.set(key, refused);
  }

  #openNameless(): number {
    const folder = join(this.#options.home, "tmp");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `unpacked-${this.#options.createId()}`);
    const file = openToAppendSync(path, 0o600, { followsLink: false });
    unlinkSync(path);
    return file;
  }

  #makeRoom(): void {
    const { maxKeptBytes = MAX_KEPT_BYTES } = this.#options;
    let bytes = [...this.#copies.values()].reduce((sum, copy) => sum + copy.bytes, 0);
    // The most recent copy is kept whatever its size, because its next page is likely to be read next.
    for (const [key, copy] of [...this.#copies].slice(0, -1)) {
      if (this.#copies.size <= MAX_KEPT_FILES && bytes <= maxKeptBytes) return;
      if (copy.readers > 0) continue;
      bytes -= copy.bytes;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    const copy = this.#copies.get(key);
    this.#copies.delete(key);
    if (copy !== undefined) closeSync(copy.file);
  }
}

function openPlain(path: string): OpenedFile {
  const opened = openRegularFileSync(path);
  if (opened.kind === "open") {
    const { file, stats } = opened;
    return { kind: "open", file, stats, close: () => closeSync(file) };
  }
  if (opened.reason === "notRegular")
    return { kind: "unreadable", reason: "notAFile", message: "it is not a file" };
  const reason = opened.reason === "missing" ? "missing" : "other";
  return { kind: "unreadable", reason, message: opened.message };
}
