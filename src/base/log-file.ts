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
  const { onFault, onRecovery } = options;
  const file = openRotating(path, options);
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
      await file.makeRoom().catch(tellOnce);
      const { bytes, lines } = take();
      const { written, fault } = await file.append(bytes);
      if (fault === null) recover();
      else {
        lost += lines;
        isTorn ||= written > 0;
        tellOnce(fault);
      }
    }
  }

  function tellOnce(fault: unknown): void {
    if (!isFaulty) onFault(osErrorText(fault));
    isFaulty = true;
  }

  function recover(): void {
    const gone = lost;
    [isTorn, isFaulty, lost] = [false, false, 0];
    if (gone > 0) onRecovery(gone);
  }

  async function settled(): Promise<void> {
    await writing;
    if (waiting.length > 0) await settled();
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
      if (waiting.length > 0) file.appendSync(take().bytes);
    },
    async close() {
      await settled();
      file.close();
    },
  };
}

/** The file that is written to, and its place among those that are full. */
function openRotating(path: string, { maxBytes = MAX_BYTES, maxFiles = MAX_FILES }: LogFileOptions) {
  let file = open(path);
  let size = fstatSync(file).size;
  return {
    /** Where that fails, this one is gone on with, for as long again. */
    async makeRoom(): Promise<void> {
      if (size < maxBytes) return;
      size = 0;
      const next = await putAside(path, file, maxFiles);
      closeSync(file);
      file = next;
      size = fstatSync(file).size;
    },
    /** How much could be written, and why not all. */
    async append(bytes: Buffer): Promise<{ readonly written: number; readonly fault: Error | null }> {
      let written = 0;
      while (written < bytes.length) {
        const step = await writeSome(file, bytes, written);
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
        // There is nobody left to tell.
      }
    },
    close: () => closeSync(file),
  };
}

function writeSome(file: number, bytes: Buffer, start: number): Promise<number | Error> {
  return new Promise((resolve) =>
    write(file, bytes, start, bytes.length - start, null, (error, count) => resolve(error ?? count)),
  );
}

/** Makes room and opens a new file. Where another process has made room, its new file is opened. */
async function putAside(path: string, file: number, maxFiles: number): Promise<number> {
  const named = await stat(path).catch(() => null);
  if (named?.ino === fstatSync(file).ino) {
    for (let number = maxFiles - 1; number > 1; number -= 1)
      await rename(`${path}.${number - 1}`, `${path}.${number}`).catch(() => {});
    await rename(path, `${path}.1`);
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
  // One that is there already may have been readable for others.
  if ((fstatSync(file).mode & 0o077) !== 0) fchmodSync(file, OWNER_ONLY);
  return file;
}
