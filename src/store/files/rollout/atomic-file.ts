/**
 * A file that is written under a temporary name and then renamed into place. A crash leaves the old file or the new
 * one, never a partial one.
 */
import { constants, writeSync } from "node:fs";
import { copyFile, type FileHandle, link, mkdir, open, rename, rm, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../../base/file-system.ts";

export interface AtomicFileOptions {
  /** The final path. */
  readonly path: string;
  /** Appended to the path of the temporary file. */
  readonly suffix: string;
}

export interface CommitOptions {
  /** The modification time of the file; by default, the time of its last write. */
  readonly modifiedAt?: Date;
  /** The path at which the replaced file is kept. */
  readonly keepOldAs?: string;
}

const FLUSH_CHARS = 256 * 1024;

export class AtomicFile {
  readonly path: string;
  readonly temporary: string;
  readonly #handle: FileHandle;
  #waiting: string[] = [];
  #waitingChars = 0;

  constructor(path: string, temporary: string, handle: FileHandle) {
    this.path = path;
    this.temporary = temporary;
    this.#handle = handle;
  }

  async write(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#waitingChars += text.length;
    if (this.#waitingChars >= FLUSH_CHARS) await this.#flush();
  }

  /** Writes bytes immediately and synchronously. A caller uses either this or `write`. */
  writeBytesSync(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; )
      at += writeSync(this.#handle.fd, bytes, at, bytes.length - at, null);
  }

  /** Flushes everything to the disk; the file is not in place yet. */
  async seal(): Promise<void> {
    await this.#flush();
    await this.#handle.sync();
    await this.#handle.close();
  }

  /** Moves the sealed file into place. */
  async commit({ modifiedAt, keepOldAs }: CommitOptions = {}): Promise<void> {
    if (modifiedAt !== undefined) await utimes(this.temporary, modifiedAt, modifiedAt);
    if (keepOldAs !== undefined) await keep(this.path, keepOldAs);
    await rename(this.temporary, this.path);
    await syncFolder(dirname(this.path));
  }

  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    await rm(this.temporary, { force: true });
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#waiting.join(""));
    this.#waiting = [];
    this.#waitingChars = 0;
    for (let at = 0; at < bytes.length; ) at += (await this.#handle.write(bytes, at)).bytesWritten;
  }
}

/** The file is readable by its owner only. */
export async function openAtomicFile({ path, suffix }: AtomicFileOptions): Promise<AtomicFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}${suffix}`;
  // A leftover of an earlier run may be a link, and must not be written through.
  await rm(temporary, { force: true });
  return new AtomicFile(path, temporary, await open(temporary, "wx", 0o600));
}

async function keep(path: string, as: string): Promise<void> {
  try {
    await link(path, as);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    // Some file systems have no hard links.
    await copyFile(path, as, constants.COPYFILE_EXCL);
  }
}
