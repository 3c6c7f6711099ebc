/**
 * The only writer of a rollout file. Appends are written in call order; those that arrive during a write are combined
 * into the next one. A resolved append has reached the operating system and survives the process, or the disk with
 * `durability: "fsync"`. A failed append leaves the file unchanged and fails the queued ones; a later one may succeed.
 * The first append creates the file. After a write by another program is detected, nothing more is written. A removed
 * file is restored only if the caller confirms that it still owns the thread.
 */

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { syncFolder } from "../../../base/file-system.ts";
import { createDeferred, type Deferred } from "../../../base/tasks.ts";
import type { AppendFailure } from "../../journal.ts";
import { type LineBody, type PreparedLine, prepareLines } from "../../lines/line.ts";
import { inspectTail } from "./tail.ts";
import {
  DIRECT_WRITE_BYTES,
  makeFolder,
  openWritable,
  restoreFile,
  type SyncFile,
  tryTruncate,
  type WritableFile,
} from "./writable-file.ts";
import { fenced, unavailable } from "./write-fault.ts";

export interface WriterOptions {
  readonly path: string;
  readonly clock: Pick<Clock, "now">;
  readonly durability?: "os" | "fsync";
  /** The ordinal of a new file's first line; forks and reverts continue the ordinals of their base. */
  readonly firstOrdinal?: number;
  /** The size that the caller expects, 0 for a file that must not exist; further lines are those of another writer. */
  readonly knownSize?: number;
  /** Whether a new file has the legacy format, without ordinals; the format of an existing file is detected. */
  readonly legacy?: boolean;
  /** An append that would exceed this number of queued bytes is rejected. */
  readonly maxBacklogBytes?: number;
  /**
   * Whether the lease on the thread is still held; called before each write. A process that is suspended between this
   * check and its write can still write one group, because a file has no conditional write.
   */
  readonly isOurs?: () => boolean | Promise<boolean>;
  /** Restores a removed file; without it, removal counts as a takeover. */
  readonly restore?: {
    /** Whether the thread is still the caller's. */
    readonly may: () => Promise<boolean>;
    /** Called after the file was restored. */
    readonly done: () => void;
  };
  /** Opens the file for reading and appending; replaced in tests. */
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

interface PreparedLines {
  readonly lines: readonly PreparedLine[];
  readonly size: number;
}

interface Waiting extends PreparedLines {
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
  #permanentFailure: AppendFailure | null = null;

  constructor(options: WriterOptions) {
    this.path = options.path;
    this.#options = options;
  }

  /** Returns the outcome itself where the write need not wait: the file is open, no write is queued, no sync is due. */
  append(bodies: readonly LineBody[]): WriteOutcome | Promise<WriteOutcome> {
    if (this.#permanentFailure !== null) return this.#permanentFailure;
    const now = this.#options.clock.now();
    const lines = prepareLines(bodies, now);
    const size = lines.reduce((sum, line) => sum + line.size, 0);
    return this.#writeNow({ lines, size }) ?? this.#enqueue({ lines, size });
  }

  /** Returns null, and has written nothing, where the append has to be queued. */
  #writeNow(group: PreparedLines): WriteOutcome | null {
    const file = this.#file;
    const { isOurs = () => true, durability } = this.#options;
    if (file?.handle.sync === undefined || this.#running !== null || durability === "fsync") return null;
    if (group.size > DIRECT_WRITE_BYTES || isOurs() !== true || !this.isUntouched()) return null;
    const { bytes, outcomes, nextOrdinal } = encodeGroup([group], file);
    try {
      file.handle.sync.write(bytes);
    } catch (error) {
      undoWrite(file, file.handle.sync);
      return unavailable(this.path, error);
    }
    advanceFile(file, bytes.length, nextOrdinal);
    return { kind: "written", lines: outcomes[0] ?? [] };
  }

  #enqueue({ lines, size }: PreparedLines): WriteOutcome | Promise<WriteOutcome> {
    const limit = this.#options.maxBacklogBytes ?? DEFAULT_MAX_BACKLOG_BYTES;
    if (this.#waitingBytes > 0 && this.#waitingBytes + size > limit) {
      const message = `the disk does not keep up: ${this.#waitingBytes} bytes wait to be written to ${this.path}`;
      return { kind: "unavailable", reason: "backlog", message };
    }
    const done = createDeferred<WriteOutcome>();
    this.#waiting.push({ lines, size, done });
    this.#waitingBytes += size;
    this.#running ??= this.#drain();
    return done.promise;
  }

  /** Whether the file is unchanged since this writer opened or wrote it. */
  isUntouched(): boolean {
    if (this.#permanentFailure !== null) return false;
    try {
      if (this.#file !== null) return this.#findForeignWrite(this.#file) === null;
      const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
      return size === (this.#options.knownSize ?? 0);
    } catch {
      return false;
    }
  }

  /** Writes queued appends and closes the file. Later appends fail. */
  async close(): Promise<void> {
    await this.#running;
    this.#permanentFailure ??= {
      kind: "unavailable",
      reason: "closed",
      message: `the writer of ${this.path} is closed`,
    };
    const file = this.#file;
    this.#file = null;
    await file?.handle.close();
  }

  async #drain(): Promise<void> {
    // Combines all appends of one event, before any of them is sent to clients.
    await endOfTick();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      const failure = this.#permanentFailure ?? (await this.#writeGroup(group));
      if (failure === null) continue;
      if (failure.kind === "fenced") this.#permanentFailure = failure;
      // Appends that were queued before the failure was known fail too; otherwise the history would have a gap.
      const queued = this.#waiting.splice(0);
      this.#waitingBytes = 0;
      for (const { done } of [...group, ...queued]) done.resolve(failure);
    }
    this.#running = null;
  }

  async #writeGroup(group: readonly Waiting[]): Promise<AppendFailure | null> {
    try {
      const { knownSize = 0, isOurs = () => true } = this.#options;
      if (!(await isOurs())) return fenced(this.path, "has taken over");
      if (this.#file === null && knownSize > 0 && !existsSync(this.path)) return fenced(this.path, REMOVED);
      this.#file ??= await this.#open();
      const foreign = this.#findForeignWrite(this.#file);
      const isRestored = foreign === REMOVED && (await this.#restore(this.#file));
      if (foreign !== null && !isRestored) return fenced(this.path, foreign);
      const file = this.#file;
      const { bytes, outcomes, nextOrdinal } = encodeGroup(group, file);
      await this.#write(file, bytes);
      advanceFile(file, bytes.length, nextOrdinal);
      for (const [at, { done }] of group.entries())
        done.resolve({ kind: "written", lines: outcomes[at] ?? [] });
      return null;
    } catch (error) {
      return unavailable(this.path, error);
    }
  }

  async #open(): Promise<OpenFile> {
    const {
      openFile = openWritable,
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
      // With this size, the check before the first write detects that the file differs from the caller's expectation.
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

  /** The change that another program made to the file since the last write; null if there is none. */
  #findForeignWrite(file: OpenFile): string | null {
    // Synchronous: from the system's cache, it takes a tenth of the time of a thread pool round trip.
    const found = statSync(this.path, { throwIfNoEntry: false });
    if (found === undefined) return REMOVED;
    if (found.ino !== file.inode || found.dev !== file.device) return "has replaced";
    if (found.size !== file.size) return found.size > file.size ? "has written to" : "has shortened";
    return null;
  }

  /** False if the file must not be restored. */
  async #restore(file: OpenFile): Promise<boolean> {
    const { restore, openFile = openWritable, durability = "os" } = this.#options;
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

function advanceFile(file: OpenFile, bytes: number, nextOrdinal: number | null): void {
  file.size += bytes;
  file.needsNewline = false;
  file.nextOrdinal = nextOrdinal;
}

/** Removes what a failed write has left, or makes it a line of its own, which readers skip. */
function undoWrite(file: OpenFile, sync: SyncFile): void {
  try {
    sync.truncate(file.size);
  } catch {
    file.size = sync.size();
    file.needsNewline = true;
  }
}

function encodeGroup(group: readonly PreparedLines[], file: OpenFile) {
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
