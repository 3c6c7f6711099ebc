/**
 * The one writer of a rollout file. Appends are written in the order of their calls; those that come while a write
 * runs go out together in the next one. A settled append is with the operating system and outlives the process, or
 * is on the disk with `durability: "fsync"`. A failed append leaves the file as it was, fails those that wait behind
 * it, and a later one may succeed.
 * The file is made by the first append. Once another program is seen to have written to it, nothing more is; one that
 * is gone is written anew where the caller knows that nobody else wants it gone.
 */

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { syncFolder } from "../../../base/file-system.ts";
import { createDeferred, type Deferred } from "../../../base/tasks.ts";
import type { AppendFailure } from "../../journal.ts";
import { type LineBody, type PreparedLine, prepareLine } from "../../lines/line.ts";
import { inspectTail } from "./tail.ts";
import { makeFolder, openToAppend, restoreFile, tryTruncate, type WritableFile } from "./writable-file.ts";
import { fenced, unavailable } from "./write-fault.ts";

export interface WriterOptions {
  readonly path: string;
  readonly clock: Pick<Clock, "now">;
  readonly durability?: "os" | "fsync";
  /** The ordinal of a new file's first line; forks and reverts go on from the file they are based on. */
  readonly firstOrdinal?: number;
  /** How far the caller knows the file, zero for one that it expects not to exist; lines beyond are another's. */
  readonly knownSize?: number;
  /** Whether a new file is of the old kind, without ordinals; an existing one says so itself. */
  readonly legacy?: boolean;
  /** Appends that would make more than this wait for a write are refused. */
  readonly maxBacklogBytes?: number;
  /**
   * Whether the lease on the thread still holds, asked before each write. A process that is stopped between this and
   * its write can slip in one group: no file can be written to on a condition.
   */
  readonly isOurs?: () => Promise<boolean>;
  /** For a file that is gone; without this it counts as taken over. */
  readonly restore?: {
    /** Whether it is still the caller's. */
    readonly may: () => Promise<boolean>;
    /** It is there again, with all that it had. */
    readonly done: () => void;
  };
  /** Opens the file to read and append; tests give one that fails. */
  readonly openFile?: (path: string) => Promise<WritableFile>;
}

export interface WrittenLine {
  readonly ordinal: number | null;
  readonly offset: number;
  readonly length: number;
}

export type WriteOutcome =
  | { readonly kind: "written"; readonly lines: readonly WrittenLine[] }
  | AppendFailure;

interface Waiting {
  readonly lines: readonly PreparedLine[];
  readonly size: number;
  readonly done: Deferred<WriteOutcome>;
}

interface OpenFile {
  readonly handle: WritableFile;
  readonly inode: number;
  readonly device: number;
  size: number;
  nextOrdinal: number | null;
  needsNewline: boolean;
}

const REMOVED = "has removed";
const DEFAULT_MAX_BACKLOG_BYTES = 64 * 1024 * 1024;

export class RolloutWriter {
  readonly path: string;
  readonly #options: WriterOptions;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #running: Promise<void> | null = null;
  #file: OpenFile | null = null;
  #lasting: AppendFailure | null = null;

  constructor(options: WriterOptions) {
    this.path = options.path;
    this.#options = options;
  }

  append(bodies: readonly LineBody[]): Promise<WriteOutcome> {
    if (this.#lasting !== null) return Promise.resolve(this.#lasting);
    const now = this.#options.clock.now();
    const lines = bodies.map((body) => prepareLine(body, now));
    const size = lines.reduce((sum, line) => sum + line.size, 0);
    const limit = this.#options.maxBacklogBytes ?? DEFAULT_MAX_BACKLOG_BYTES;
    if (this.#waitingBytes > 0 && this.#waitingBytes + size > limit) {
      const message = `the disk does not keep up: ${this.#waitingBytes} bytes wait to be written to ${this.path}`;
      return Promise.resolve({ kind: "unavailable", reason: "backlog", message });
    }
    const done = createDeferred<WriteOutcome>();
    this.#waiting.push({ lines, size, done });
    this.#waitingBytes += size;
    this.#running ??= this.#drain();
    return done.promise;
  }

  /** Whether the file is as this writer has left it or found it. */
  isUntouched(): boolean {
    if (this.#lasting !== null) return false;
    if (this.#file !== null) return this.#findForeignWrite(this.#file) === null;
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    return size === (this.#options.knownSize ?? 0);
  }

  /** Writes what waits, then lets go of the file. Later appends fail. */
  async close(): Promise<void> {
    await this.#running;
    this.#lasting ??= {
      kind: "unavailable",
      reason: "closed",
      message: `the writer of ${this.path} is closed`,
    };
    const file = this.#file;
    this.#file = null;
    await file?.handle.close();
  }

  async #drain(): Promise<void> {
    // What one event of the outside world causes is written in one go, before anything of it is sent to clients.
    await endOfTick();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      const lost = this.#lasting ?? (await this.#writeGroup(group));
      if (lost === null) continue;
      if (lost.kind === "fenced") this.#lasting = lost;
      // What was appended behind it, by callers that did not know of this, would leave a gap in the story.
      const behind = this.#waiting.splice(0);
      this.#waitingBytes = 0;
      for (const { done } of [...group, ...behind]) done.resolve(lost);
    }
    this.#running = null;
  }

  async #writeGroup(group: readonly Waiting[]): Promise<AppendFailure | null> {
    try {
      const { knownSize = 0, isOurs = async () => true } = this.#options;
      if (!(await isOurs())) return fenced(this.path, "has taken over");
      if (this.#file === null && knownSize > 0 && !existsSync(this.path)) return fenced(this.path, REMOVED);
      this.#file ??= await this.#open();
      const foreign = this.#findForeignWrite(this.#file);
      const isMended = foreign === REMOVED && (await this.#restore(this.#file));
      if (foreign !== null && !isMended) return fenced(this.path, foreign);
      const file = this.#file;
      const { bytes, outcomes, nextOrdinal } = encodeGroup(group, file);
      await this.#write(file, bytes);
      file.size += bytes.length;
      file.needsNewline = false;
      file.nextOrdinal = nextOrdinal;
      for (const [at, { done }] of group.entries())
        done.resolve({ kind: "written", lines: outcomes[at] ?? [] });
      return null;
    } catch (error) {
      return unavailable(this.path, error);
    }
  }

  async #open(): Promise<OpenFile> {
    const {
      openFile = openToAppend,
      firstOrdinal = 0,
      legacy = false,
      durability,
      knownSize,
    } = this.#options;
    makeFolder(dirname(this.path));
    const handle = await openFile(this.path);
    try {
      const { ino, dev, size } = await handle.stat();
      if (size === 0 && durability === "fsync") await syncFolder(dirname(this.path));
      const tail = await inspectTail(handle, size, { firstOrdinal, legacy });
      const file = { handle, inode: ino, device: dev, nextOrdinal: tail.nextOrdinal };
      // The size that the caller believes in is then found to be wrong before anything is written.
      if (tail.keep !== knownSize && knownSize !== undefined)
        return { ...file, size: knownSize, needsNewline: false };
      const cut = tail.keep < size && (await tryTruncate(handle, tail.keep));
      const needsNewline = tail.needsNewline || (tail.keep < size && !cut);
      return { ...file, size: cut ? tail.keep : size, needsNewline };
    } catch (error) {
      await handle.close().catch(() => {});
      throw error;
    }
  }

  /** What somebody else has done to the file since the last write; null if nothing. */
  #findForeignWrite(file: OpenFile): string | null {
    // Asked of what the system holds in memory, this costs a tenth of a detour over a thread.
    const found = statSync(this.path, { throwIfNoEntry: false });
    if (found === undefined) return REMOVED;
    if (found.ino !== file.inode || found.dev !== file.device) return "has replaced";
    if (found.size !== file.size) return found.size > file.size ? "has written to" : "has shortened";
    return null;
  }

  /** False: it is not ours any more. */
  async #restore(file: OpenFile): Promise<boolean> {
    const { restore, openFile = openToAppend, durability = "os" } = this.#options;
    const { handle: from, size } = file;
    if (restore === undefined || (await from.stat()).size !== size || !(await restore.may())) return false;
    const handle = await restoreFile({ path: this.path, from, size, durability, openFile });
    const { ino, dev } = await handle.stat();
    this.#file = { ...file, handle, inode: ino, device: dev };
    await from.close();
    restore.done();
    return true;
  }

  async #write(file: OpenFile, bytes: Buffer): Promise<void> {
    const { handle } = file;
    try {
      for (let at = 0; at < bytes.length; ) at += await handle.write(bytes, at);
      if (this.#options.durability === "fsync") await handle.datasync();
    } catch (error) {
      if (!(await tryTruncate(handle, file.size))) {
        file.size = (await handle.stat()).size;
        file.needsNewline = true;
      }
      throw error;
    }
  }
}

function endOfTick(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

function encodeGroup(group: readonly Waiting[], file: OpenFile) {
  let text = file.needsNewline ? "\n" : "";
  let offset = file.size + text.length;
  let nextOrdinal = file.nextOrdinal;
  const outcomes = group.map(({ lines }) =>
    lines.map((line): WrittenLine => {
      const ordinal = nextOrdinal;
      if (nextOrdinal !== null) nextOrdinal += 1;
      const written = line.withOrdinal(ordinal);
      const place = { ordinal, offset, length: Buffer.byteLength(written) };
      text += written;
      offset += place.length;
      return place;
    }),
  );
  return { bytes: Buffer.from(text), outcomes, nextOrdinal };
}
