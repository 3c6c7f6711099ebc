/**
 * A rotating log file: a full file becomes `<file>.1`, and the oldest one is deleted. Writers never wait: lines that a
 * slow or full disk does not accept are dropped and counted, and the count is reported once writing succeeds again.
 */
import fs, { closeSync, fchmodSync, fstatSync, write, writeSync } from "node:fs";
import { AppError, osErrorText } from "./errors.ts";
import { openToAppendSync } from "./open-regular-file.ts";

export interface LogFile {
  /** Queues one whole line, newline included. Never throws. */
  write(line: string): void;
  /** Resolves when the queued lines are written or lost. */
  flushed(): Promise<void>;
  /** Writes the queued lines synchronously, before the process exits. */
  flushSync(): void;
  close(): Promise<void>;
}

export interface LogFileOptions {
  readonly maxBytes?: number;
  /** The number of files, including the current one. */
  readonly maxFiles?: number;
  /** Called once when lines cannot be written, and not again until some could. */
  readonly onFault: (reason: string) => void;
  /** Called when lines can be written again after some were lost. */
  readonly onRecovery: (lostLines: number) => void;
}

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 5;
/** Queued lines beyond this size are dropped. */
const MAX_QUEUED_BYTES = 1024 * 1024;
const OWNER_ONLY = 0o600;

/** Throws an AppError if the file cannot be opened. A symlink is not followed: its target may be readable by others. */
export function openLogFile(path: string, options: LogFileOptions): LogFile {
  const { onFault, onRecovery } = options;
  const file = openRotating(path, options);
  let queued: string[] = [];
  let queuedBytes = 0;
  let lost = 0;
  let isFaulty = false;
  /** The last write was partial, so the next one has to start on a new line. */
  let isTorn = false;
  let writing: Promise<void> | null = null;

  function take(): { readonly bytes: Buffer; readonly lines: number } {
    const bytes = Buffer.from((isTorn ? "\n" : "") + queued.join(""));
    const lines = queued.length;
    queued = [];
    queuedBytes = 0;
    return { bytes, lines };
  }

  async function writeQueued(): Promise<void> {
    while (queued.length > 0) {
      await file.rotateIfFull().catch(reportOnce);
      const { bytes, lines } = take();
      const { written, fault } = await file.append(bytes);
      if (fault === null) recover();
      else {
        lost += lines;
        isTorn ||= written > 0;
        reportOnce(fault);
      }
    }
  }

  function reportOnce(fault: unknown): void {
    if (!isFaulty) onFault(osErrorText(fault));
    isFaulty = true;
  }

  function recover(): void {
    const lostLines = lost;
    [isTorn, isFaulty, lost] = [false, false, 0];
    if (lostLines > 0) onRecovery(lostLines);
  }

  async function flushed(): Promise<void> {
    await writing;
    if (queued.length > 0) await flushed();
  }

  return {
    write(line) {
      if (queuedBytes + line.length > MAX_QUEUED_BYTES) {
        lost += 1;
        return;
      }
      queued.push(line);
      queuedBytes += line.length;
      writing ??= writeQueued().finally(() => {
        writing = null;
      });
    },
    flushed,
    flushSync() {
      if (queued.length > 0) file.appendSync(take().bytes);
    },
    async close() {
      await flushed();
      file.close();
    },
  };
}

/** The current file, with rotation. */
function openRotating(path: string, { maxBytes = MAX_BYTES, maxFiles = MAX_FILES }: LogFileOptions) {
  let file = open(path);
  let size = fstatSync(file).size;
  return {
    /** If rotation fails, the current file is used for another `maxBytes`. */
    async rotateIfFull(): Promise<void> {
      if (size < maxBytes) return;
      size = 0;
      const next = await rotate(path, file, maxFiles);
      closeSync(file);
      file = next;
      size = fstatSync(file).size;
    },
    /** The number of bytes written, and the error if that is not all of them. */
    async append(bytes: Buffer): Promise<{ readonly written: number; readonly fault: Error | null }> {
      let written = 0;
      while (written < bytes.length) {
        const step = await writeChunk(file, bytes, written);
        if (typeof step !== "number") return { written, fault: step };
        written += step;
        size += step;
      }
      return { written, fault: null };
    },
    appendSync(bytes: Buffer): void {
      try {
        writeSync(file, bytes);
      } catch {
        // The process is exiting, and there is no other place to report to.
      }
    },
    close: () => closeSync(file),
  };
}

function writeChunk(file: number, bytes: Buffer, start: number): Promise<number | Error> {
  return new Promise((resolve) =>
    write(file, bytes, start, bytes.length - start, null, (error, count) => resolve(error ?? count)),
  );
}

/** Rotates and opens a new file. If another process has already rotated, its new file is opened. */
async function rotate(path: string, file: number, maxFiles: number): Promise<number> {
  const named = await fs.promises.stat(path).catch(() => null);
  if (named?.ino === fstatSync(file).ino) {
    for (let number = maxFiles - 1; number > 1; number -= 1)
      await fs.promises.rename(`${path}.${number - 1}`, `${path}.${number}`).catch(() => {});
    await fs.promises.rename(path, `${path}.1`);
  }
  return open(path);
}

function open(path: string): number {
  let file: number;
  try {
    file = openToAppendSync(path, OWNER_ONLY, { followsLink: false });
  } catch (error) {
    const isLink = (error as NodeJS.ErrnoException).code === "ELOOP";
    const reason = isLink ? "it is a symbolic link; name the file itself" : osErrorText(error);
    throw new AppError("log.file", `cannot write the log to ${path}: ${reason}`, { cause: error });
  }
  // An existing file may have been readable by others.
  if ((fstatSync(file).mode & 0o077) !== 0) fchmodSync(file, OWNER_ONLY);
  return file;
}
