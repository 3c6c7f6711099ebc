/**
 * A file that is written beside the one it is to become, and takes its place in one step. Whoever is killed on the
 * way leaves the old file or the new one, never a part.
 */
import { constants, writeSync } from "node:fs";
import { copyFile, type FileHandle, link, mkdir, open, rename, rm, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../../base/file-system.ts";

export interface BesideOptions {
  /** Where the file is to be. */
  readonly path: string;
  /** Behind the path, while it is written. */
  readonly suffix: string;
}

export interface CommitOptions {
  /** The time of the last change that the file is to show; the file's own unless given. */
  readonly modifiedAt?: Date;
  /** Where the file that was there is kept. */
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

  /** Writes bytes at once, behind those before. Who writes bytes writes no texts. */
  writeNow(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; )
      at += writeSync(this.#handle.fd, bytes, at, bytes.length - at, null);
  }

  /** Has everything on the disk; the file is not in its place yet. */
  async seal(): Promise<void> {
    await this.#flush();
    await this.#handle.sync();
    await this.#handle.close();
  }

  /** Puts the sealed file in its place. */
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

/** Only its owner may read what was said in a thread. */
export async function openAtomicFile({ path, suffix }: BesideOptions): Promise<AtomicFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}${suffix}`;
  // What an earlier run left there is not to be written through.
  await rm(temporary, { force: true });
  return new AtomicFile(path, temporary, await open(temporary, "wx", 0o600));
}

async function keep(path: string, as: string): Promise<void> {
  try {
    await link(path, as);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    // Some disks know no second name of a file.
    await copyFile(path, as, constants.COPYFILE_EXCL);
  }
}
