/**
 * The locks that tell other programs on the same home, the peer among them, that a thread has its writer: flock(2) on
 * an empty file per thread. Node cannot call flock, so the program `flock` does, on files that it inherits: such a lock
 * belongs to the open file, and stays when that program has ended. It goes with this process, however that ends. The
 * files themselves stay behind: removing one could part two holders of the same name.
 */
import { spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { statOf } from "../../../base/file-system.ts";
import { readRegularFileSync } from "../../../base/read-regular-file.ts";

export type LockOutcome =
  | { readonly kind: "held"; readonly release: () => void }
  | { readonly kind: "taken"; readonly message: string }
  /** Nobody can be told here; the writer's own look at the file is what remains. */
  | { readonly kind: "unavailable"; readonly message: string };

export interface WriterLocks {
  acquire(threadId: string): Promise<LockOutcome>;
  /** Whether somebody has had it, now or before. */
  isKnown(threadId: string): boolean;
  /** The threads whose locks some process has now, as far as the system tells without a lock being tried. */
  taken(threadIds: readonly string[]): ReadonlySet<string>;
}

export interface LockOptions {
  /** The program that locks a file it inherits, as it is found now; null for none, `flock` unless given. */
  readonly program?: () => string | null;
}

interface Waiting {
  readonly file: number;
  readonly resolve: (isLocked: boolean) => void;
  readonly reject: (error: unknown) => void;
}

const ATTEMPTS = 3;
/** To start a program takes the main thread a millisecond and more: threads that wait at once share one. */
const LOCKS_AT_ONCE = 32;

export function createWriterLocks(home: string, { program = () => "flock" }: LockOptions = {}): WriterLocks {
  const folder = join(home, "thread-writer-locks");
  const waiting: Waiting[] = [];
  let isRunning = false;

  function lock(file: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      waiting.push({ file, resolve, reject });
      if (!isRunning) void lockWaiting();
    });
  }

  async function lockWaiting(): Promise<void> {
    isRunning = true;
    for (let some = waiting.splice(0, LOCKS_AT_ONCE); some.length > 0; ) {
      try {
        const locked = await lockInherited(
          program(),
          some.map(({ file }) => file),
        );
        for (const [at, { resolve }] of some.entries()) resolve(locked[at] === true);
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
      some = waiting.splice(0, LOCKS_AT_ONCE);
    }
    isRunning = false;
  }

  const pathOf = (threadId: string): string => join(folder, `${threadId}.lock`);

  return {
    async acquire(threadId) {
      const path = pathOf(threadId);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
          const file = openSync(path, "a+", 0o600);
          const isLocked = await lock(file).catch((error: unknown) => {
            closeSync(file);
            throw error;
          });
          if (isLocked && isStillThere(path, file)) return { kind: "held", release: () => closeSync(file) };
          closeSync(file);
          if (!isLocked) return { kind: "taken", message: `thread ${threadId} already has an active writer` };
        }
        return { kind: "unavailable", message: `${path} is removed as often as it is made` };
      } catch (error) {
        return { kind: "unavailable", message: `cannot lock ${path}: ${messageOf(error)}` };
      }
    },
    isKnown: (threadId) => statOf(pathOf(threadId)) !== null,
    taken(threadIds) {
      const inodes = lockedInodes();
      if (inodes.size === 0) return new Set();
      return new Set(threadIds.filter((id) => inodes.has(statOf(pathOf(id))?.ino ?? -1)));
    },
  };
}

/** `1: FLOCK  ADVISORY  WRITE 1234 08:02:5678 0 EOF`; nothing where there is no such file. */
const LOCKED = /^\d+: FLOCK +\S+ +\S+ +\d+ +\S+:(\d+) /gm;
const MAX_LOCKS_BYTES = 4 * 1024 * 1024;

function lockedInodes(): ReadonlySet<number> {
  const read = readRegularFileSync("/proc/locks", { maxBytes: MAX_LOCKS_BYTES, larger: "cut" });
  if (read.kind === "refused") return new Set();
  return new Set([...read.bytes.toString("latin1").matchAll(LOCKED)].map(([, inode]) => Number(inode)));
}

/** Programs that clean up remove lock files that nobody holds, perhaps between our opening and our locking. */
function isStillThere(path: string, file: number): boolean {
  const own = fstatSync(file);
  const found = statOf(path);
  return found !== null && found.ino === own.ino && found.dev === own.dev;
}

const FIRST_INHERITED = 3;
/** Tells for each of the files that it is called with how locking it has ended. */
const LOCK_EACH = 'for file; do "$0" -n "$file"; echo "$?"; done';
/** How a shell says that it could not run a program. */
const NOT_RUN = new Set([126, 127]);

/** Which of the files are locked now. */
async function lockInherited(program: string | null, files: readonly number[]): Promise<readonly boolean[]> {
  if (program === null) throw new Error("there is no trusted program `flock`");
  const inherited = files.map((_, at) => String(FIRST_INHERITED + at));
  // One alone is what somebody waits for who opens a thread, and goes without a shell.
  if (files.length === 1) return [(await run(program, ["-n", ...inherited], files)).status === 0];
  const { output } = await run("/bin/sh", ["-c", LOCK_EACH, program, ...inherited], files);
  const statuses = output.split("\n").slice(0, files.length).map(Number);
  if (statuses.some((status) => NOT_RUN.has(status))) throw new Error(`cannot run ${program}`);
  return files.map((_, at) => statuses[at] === 0);
}

function run(
  program: string,
  args: readonly string[],
  files: readonly number[],
): Promise<{ readonly status: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    // With no variable that could make it load something else.
    const env = { PATH: process.env["PATH"] };
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore", ...files] });
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, output }));
  });
}
