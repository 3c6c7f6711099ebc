/**
 * Lock files that announce the writer of a thread to other programs on the same home, including the peer: flock(2) on
 * an empty file for each thread. Node has no flock, so that the program `flock` locks an inherited descriptor: such a
 * lock belongs to the open file and remains when that program exits. It is released when this process ends for any
 * reason. Lock files are not deleted on release: otherwise two processes could hold locks on different files of the
 * same name.
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
  /** Locking is impossible here; only the writer's own check of the file remains. */
  | { readonly kind: "unavailable"; readonly message: string };

export interface WriterLocks {
  acquire(threadId: string): Promise<LockOutcome>;
  /** Whether the thread was ever locked. */
  isKnown(threadId: string): boolean;
  /** The threads that any process has locked now, as far as `/proc/locks` shows it. */
  taken(threadIds: readonly string[]): ReadonlySet<string>;
}

export interface LockOptions {
  /** Finds the program that locks an inherited descriptor; null if there is none. `flock` by default. */
  readonly program?: () => string | null;
}

interface Waiting {
  readonly file: number;
  readonly resolve: (isLocked: boolean) => void;
  readonly reject: (error: unknown) => void;
}

const ATTEMPTS = 3;
/** Starting a program blocks the main thread for a millisecond or more, so that concurrent requests share one. */
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
        return { kind: "unavailable", message: `${path} was removed repeatedly while it was being locked` };
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

/** `1: FLOCK  ADVISORY  WRITE 1234 08:02:5678 0 EOF`; systems other than Linux have no such file. */
const LOCKED = /^\d+: FLOCK +\S+ +\S+ +\d+ +\S+:(\d+) /gm;
const MAX_LOCKS_BYTES = 4 * 1024 * 1024;

function lockedInodes(): ReadonlySet<number> {
  const read = readRegularFileSync("/proc/locks", { maxBytes: MAX_LOCKS_BYTES, larger: "cut" });
  if (read.kind === "refused") return new Set();
  return new Set([...read.bytes.toString("latin1").matchAll(LOCKED)].map(([, inode]) => Number(inode)));
}

/** A cleanup may remove an unlocked file between our open and our lock. */
function isStillThere(path: string, file: number): boolean {
  const own = fstatSync(file);
  const found = statOf(path);
  return found !== null && found.ino === own.ino && found.dev === own.dev;
}

const FIRST_INHERITED = 3;
/** Prints the exit status of the lock program for each descriptor. */
const LOCK_EACH = 'for file; do "$0" -n "$file"; echo "$?"; done';
/** The exit statuses of a shell that could not run the program. */
const NOT_RUN = new Set([126, 127]);

/** Locks the descriptors, and returns which of them were locked. */
async function lockInherited(program: string | null, files: readonly number[]): Promise<readonly boolean[]> {
  if (program === null) throw new Error("there is no trusted program `flock`");
  const inherited = files.map((_, at) => String(FIRST_INHERITED + at));
  // The common case of one thread needs no shell and no pipe, whose code takes 2 ms on its first use.
  if (files.length === 1)
    return [(await run({ program, args: ["-n", ...inherited], files, stdout: "ignore" })).status === 0];
  const args = ["-c", LOCK_EACH, program, ...inherited];
  const { output } = await run({ program: "/bin/sh", args, files, stdout: "pipe" });
  const statuses = output.split("\n").slice(0, files.length).map(Number);
  if (statuses.some((status) => NOT_RUN.has(status))) throw new Error(`cannot run ${program}`);
  return files.map((_, at) => statuses[at] === 0);
}

interface Run {
  readonly program: string;
  readonly args: readonly string[];
  readonly files: readonly number[];
  readonly stdout: "pipe" | "ignore";
}

function run({
  program,
  args,
  files,
  stdout,
}: Run): Promise<{ readonly status: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    // No other variables, which could make the program load foreign code.
    const env = { PATH: process.env["PATH"] };
    const child = spawn(program, args, { env, stdio: ["ignore", stdout, "ignore", ...files] });
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, output }));
  });
}
