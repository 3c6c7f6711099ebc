/**
 * A log in a file of bounded size: what is full becomes `<file>.1`, and the oldest of a few goes. Nobody waits for it:
 * lines that a slow or full disk does not take are counted and dropped, and it is told how many when there is room.
 */
import { closeSync, fchmodSync, fstatSync, write, writeSync } from "node:fs";
import { rename, stat } from "node:fs/promises";
import { AppError, osErrorText } from "./errors.ts";
import { openToAppendSync } from "./open-regular-file.ts";

export interface LogFile {
  /** Takes one whole line, newline included. Never throws. */
  write(line: string): void;
  /** Resolves when what was taken is written or lost. */
  settled(): Promise<void>;
  /** Writes what waits at once, for a process that ends. */
  flushSync(): void;
  close(): Promise<void>;
}

export interface LogFileOptions {
  readonly maxBytes?: number;
  /** How many there are at most, with the one that is written to. */
  readonly maxFiles?: number;
  /** Lines cannot be written; told once, until some can. */
  readonly onFault: (reason: string) => void;
  /** Lines can be written again, after so many were lost. */
  readonly onRecovery: (lostLines: number) => void;
}

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 5;
/** What may wait for the disk. */
const MAX_WAITING_BYTES = 1024 * 1024;
const OWNER_ONLY = 0o600;

/** Throws in words where there can be no such file. A link is not followed: it may lead to what others may read. */
export function openLogFile(path: string, options: LogFileOptions): LogFile {
  const { maxBytes = MAX_BYTES, maxFiles = MAX_FILES, onFault, onRecovery } = options;
  let file = open(path);
  let size = fstatSync(file).size;
  let waiting: string[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let isFaulty = false;
  /** A line was cut off, and the next one must not go on in it. */
  let isTorn = false;
  let writing: Promise<void> | null = null;

  function take(): { readonly bytes: Buffer; readonly lines: number } {
    const bytes = Buffer.from((isTorn ? "\n" : "") + waiting.join(""));
    const lines = waiting.length;
    waiting = [];
    waitingBytes = 0;
    return { bytes, lines };
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      if (size >= maxBytes) await rotate();
      const { bytes, lines } = take();
      const { written, fault } = await append(file, bytes);
      size += written;
      settle(written < bytes.length ? lines : 0, written > 0 && written < bytes.length, fault);
    }
  }

  function settle(lostLines: number, torn: boolean, fault: string | null): void {
    lost += lostLines;
    if (fault !== null) {
      isTorn ||= torn;
      if (!isFaulty) onFault(fault);
      isFaulty = true;
      return;
    }
    isTorn = false;
    isFaulty = false;
    const gone = lost;
    lost = 0;
    if (gone > 0) onRecovery(gone);
  }

  /** Where another process has done it, that one's new file is gone on with. Where it fails, this one is. */
  async function rotate(): Promise<void> {
    size = 0;
    try {
      const named = await stat(path).catch(() => null);
      if (named?.ino === fstatSync(file).ino) {
        for (let number = maxFiles - 1; number > 1; number -= 1)
          await rename(`${path}.${number - 1}`, `${path}.${number}`).catch(() => {});
        await rename(path, `${path}.1`);
      }
      const next = open(path);
      closeSync(file);
      file = next;
      size = fstatSync(file).size;
    } catch (error) {
      if (!isFaulty) onFault(`${path} could not be put aside: ${osErrorText(error)}`);
      isFaulty = true;
    }
  }

  async function settled(): Promise<void> {
    while (writing !== null) await writing;
  }

  return {
    write(line) {
      if (waitingBytes + line.length > MAX_WAITING_BYTES) {
        lost += 1;
        return;
      }
      waiting.push(line);
      waitingBytes += line.length;
      writing ??= writeWaiting().finally(() => {
        writing = null;
      });
    },
    settled,
    flushSync() {
      if (waiting.length === 0) return;
      try {
        writeSync(file, take().bytes);
      } catch {
        // There is nobody left to tell.
      }
    },
    async close() {
      await settled();
      closeSync(file);
    },
  };
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
  // One that is there already may have been readable for others.
  if ((fstatSync(file).mode & 0o077) !== 0) fchmodSync(file, OWNER_ONLY);
  return file;
}

/** How much could be written, and why not all. */
async function append(file: number, bytes: Buffer): Promise<{ written: number; fault: string | null }> {
  let written = 0;
  while (written < bytes.length) {
    const step = await new Promise<number | Error>((resolve) =>
      write(file, bytes, written, bytes.length - written, null, (error, count) => resolve(error ?? count)),
    );
    if (typeof step !== "number") return { written, fault: osErrorText(step) };
    written += step;
  }
  return { written, fault: null };
}
