/**
 * Retries writes that failed because another process has locked the database. The wait is asynchronous, because a wait
 * inside SQLite would block this process. Calls are retried one at a time, in order.
 */
import { setTimeout as pause } from "node:timers/promises";
import { AppError } from "../../../base/errors.ts";
import { createDeferred, type Deferred } from "../../../base/tasks.ts";

export interface LockWait {
  /** Runs the work as soon as the lock is free. */
  retry<T>(work: () => Promise<T>): Promise<T>;
  /** Rejects the waiting calls. */
  close(): void;
}

export interface LockWaitOptions {
  readonly file: string;
  /** The maximum wait; 30 s by default. */
  readonly maxWaitMs?: number | undefined;
  /** Called when no call waits any more. */
  readonly onOver: () => void;
}

interface Waiting {
  readonly work: () => Promise<unknown>;
  readonly done: Deferred<unknown>;
}

export const MAX_LOCK_WAIT_MS = 30_000;
const FIRST_DELAY_MS = 2;
const MAX_DELAY_MS = 50;
/** After a recent timeout, the next call waits only this long. */
const SHORT_WAIT_MS = 1000;

export function createLockWait({ file, maxWaitMs = MAX_LOCK_WAIT_MS, onOver }: LockWaitOptions): LockWait {
  const waiting: Waiting[] = [];
  let isClosed = false;
  let isRunning = false;
  let gaveUpAt = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    isRunning = true;
    const hasRecentTimeout = performance.now() - gaveUpAt < maxWaitMs;
    let since = performance.now();
    let timeoutMs = hasRecentTimeout ? Math.min(SHORT_WAIT_MS, maxWaitMs) : maxWaitMs;
    let delayMs = FIRST_DELAY_MS;
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      await pause(delayMs);
      const isFree = isClosed ? false : await attempt(first);
      if (isFree) {
        waiting.shift();
        [since, timeoutMs, delayMs] = [performance.now(), maxWaitMs, 0];
      } else if (isClosed || performance.now() - since >= timeoutMs) {
        giveUp(performance.now() - since);
      } else delayMs = Math.min(MAX_DELAY_MS, Math.max(FIRST_DELAY_MS, 2 * delayMs));
    }
    isRunning = false;
    onOver();
  }

  /** False if the database is still locked. */
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

/** Whether a statement failed because of another process's lock. */
export function isLocked(error: unknown): boolean {
  const { cause = error } = (error ?? {}) as { readonly cause?: unknown };
  const { code, errcode } = (cause ?? {}) as { readonly code?: unknown; readonly errcode?: unknown };
  const isBusyCode = typeof errcode === "number" && (errcode & 0xff) === BUSY;
  return isBusyCode || (typeof code === "string" && code.startsWith("SQLITE_BUSY"));
}
