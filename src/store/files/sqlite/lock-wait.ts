/**
 * What cannot be written because another process has locked the database waits here, and not in SQLite, which would
 * hold up everything else in this process. One at a time tries again, in the order in which they came.
 */
import { setTimeout as pause } from "node:timers/promises";
import { AppError } from "../../../base/errors.ts";
import { createDeferred, type Deferred } from "../../../base/tasks.ts";

export interface LockWait {
  /** Does the work as soon as the lock is free. */
  retry<T>(work: () => Promise<T>): Promise<T>;
  /** Those that wait are refused. */
  close(): void;
}

export interface LockWaitOptions {
  readonly file: string;
  /** How long anybody waits; half a minute unless given. */
  readonly maxWaitMs?: number | undefined;
  /** Those who have waited have all been served, or refused. */
  readonly onOver: () => void;
}

interface Waiting {
  readonly work: () => Promise<unknown>;
  readonly done: Deferred<unknown>;
}

export const MAX_LOCK_WAIT_MS = 30_000;
const FIRST_DELAY_MS = 2;
const MAX_DELAY_MS = 50;
/** Whoever comes when somebody has just waited in vain does not wait as long once more. */
const SHORT_WAIT_MS = 1000;

export function createLockWait({ file, maxWaitMs = MAX_LOCK_WAIT_MS, onOver }: LockWaitOptions): LockWait {
  const waiting: Waiting[] = [];
  let isClosed = false;
  let isRunning = false;
  let gaveUpAt = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    isRunning = true;
    const wasInVain = performance.now() - gaveUpAt < maxWaitMs;
    let since = performance.now();
    let patienceMs = wasInVain ? Math.min(SHORT_WAIT_MS, maxWaitMs) : maxWaitMs;
    let delayMs = FIRST_DELAY_MS;
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      await pause(delayMs);
      const isFree = isClosed ? false : await attempt(first);
      if (isFree) {
        waiting.shift();
        [since, patienceMs, delayMs] = [performance.now(), maxWaitMs, 0];
      } else if (isClosed || performance.now() - since >= patienceMs) {
        giveUp(performance.now() - since);
      } else delayMs = Math.min(MAX_DELAY_MS, Math.max(FIRST_DELAY_MS, 2 * delayMs));
    }
    isRunning = false;
    onOver();
  }

  /** False where it has to wait on. */
  async function attempt({ work, done }: Waiting): Promise<boolean> {
    try {
      done.resolve(await work());
    } catch (error) {
      if (isLocked(error)) return false;
      done.reject(error as Error);
    }
    return true;
  }

  function giveUp(waitedMs: number): void {
    gaveUpAt = performance.now();
    const text = isClosed
      ? `${file} was closed while another process had locked it`
      : `${file} is locked: another process has kept it from being written to for ${Math.round(waitedMs / 1000)} s. Find it with \`fuser ${file}\`, and end it or let it finish`;
    for (const { done } of waiting.splice(0)) done.reject(new AppError("store.locked", text));
  }

  return {
    retry<T>(work: () => Promise<T>): Promise<T> {
      const done = createDeferred<unknown>();
      waiting.push({ work, done });
      if (!isRunning) void run();
      return done.promise as Promise<T>;
    },
    close() {
      isClosed = true;
    },
  };
}

const BUSY = 5;

/** Whether a statement has failed because of another's lock. */
export function isLocked(error: unknown): boolean {
  const { cause = error } = (error ?? {}) as { readonly cause?: unknown };
  const { code, errcode } = (cause ?? {}) as { readonly code?: unknown; readonly errcode?: unknown };
  const isBusyCode = typeof errcode === "number" && (errcode & 0xff) === BUSY;
  return isBusyCode || (typeof code === "string" && code.startsWith("SQLITE_BUSY"));
}
