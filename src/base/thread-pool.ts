import fs from "node:fs";
import type { Awaitable } from "./awaitable.ts";
import { type Clock, systemClock } from "./clock.ts";
import { mountOf } from "./mounts.ts";
import { createDeferred } from "./tasks.ts";

export type PoolOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  /** The deadline has passed. A system call cannot be cancelled: it continues, perhaps for ever. */
  | { readonly kind: "timeout" };

/** Gives file operations a deadline and keeps them from using all threads of the pool. */
export interface PoolGate {
  /** Serializes the work on one mount; while it is stuck, further work on that mount times out immediately. */
  run<T>(mount: string, work: () => Promise<T>): Promise<PoolOutcome<T>>;
  /** Whether work on a mount has exceeded its deadline. */
  isStuck(mount: string): boolean;
  /** The number of tasks past their deadline, which block threads. A process with blocked threads cannot exit. */
  readonly overdue: number;
}

export interface PoolGateOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** The maximum number of running tasks over all mounts. */
  readonly maxConcurrent: number;
}

/** A read that takes longer is on a disk that has stopped responding. */
export const FILE_DEADLINE_MS = 10_000;
/** Node's pool has four threads, which all asynchronous operations share; one is left for them. */
const MAX_CONCURRENT_READS = 3;

interface QueuedWork {
  readonly mount: string;
  readonly start: () => void;
  readonly expire: () => void;
}

export function createPoolGate({ clock, deadlineMs, maxConcurrent }: PoolGateOptions): PoolGate {
  const queued = new Set<QueuedWork>();
  /** The mounts with running work, and whether it is past its deadline. */
  const busy = new Map<string, "running" | "overdue">();
  let overdue = 0;

  async function start<T>(mount: string, work: () => Promise<T>): Promise<PoolOutcome<T>> {
    busy.set(mount, "running");
    const late = createDeferred<PoolOutcome<T>>();
    const cancel = clock.after(deadlineMs, () => {
      busy.set(mount, "overdue");
      overdue += 1;
      late.resolve({ kind: "timeout" });
      for (const entry of queued) if (isBlocked(entry.mount)) entry.expire();
    });
    const done = work()
      .finally(() => {
        cancel();
        if (busy.get(mount) === "overdue") overdue -= 1;
        busy.delete(mount);
        startNext();
      })
      .then((value): PoolOutcome<T> => ({ kind: "done", value }));
    return Promise.race([done, late.promise]);
  }

  /** Starts the oldest queued work whose mount is free. */
  function startNext(): void {
    for (const entry of queued) if (isFree(entry.mount)) return entry.start();
  }

  const isFree = (mount: string): boolean => busy.size < maxConcurrent && !busy.has(mount);
  const isStuck = (mount: string): boolean => busy.get(mount) === "overdue";
  const isBlocked = (mount: string): boolean => isStuck(mount) || overdue >= maxConcurrent;

  return {
    run(mount, work) {
      if (isFree(mount)) return start(mount, work);
      if (isBlocked(mount)) return Promise.resolve({ kind: "timeout" });
      return new Promise((resolve) => {
        const entry: QueuedWork = {
          mount,
          start() {
            queued.delete(entry);
            resolve(start(mount, work));
          },
          expire() {
            queued.delete(entry);
            resolve({ kind: "timeout" });
          },
        };
        queued.add(entry);
      });
    },
    isStuck,
    get overdue() {
      return overdue;
    },
  };
}

/**
 * The pool belongs to the process, and so does this gate: two embedded servers with separate gates would together use up
 * the pool.
 */
const fileGate = createPoolGate({
  clock: systemClock,
  deadlineMs: FILE_DEADLINE_MS,
  maxConcurrent: MAX_CONCURRENT_READS,
});

/**
 * Runs work on a path from a model or a client, which may lie on a mount that has stopped responding. The work must use
 * at most one thread of the pool at a time.
 */
export function runWithDeadline<T>(path: string, work: () => Promise<T>): Promise<PoolOutcome<T>> {
  return fileGate.run(mountOf(path), work);
}

/** Cached probe results by folder, because one request checks the same folder repeatedly. */
const mountProbes = new Map<string, MountProbe>();

interface MountProbe {
  unresponsive: Awaitable<string | null>;
  readonly probedAt: number;
}

const PROBE_CACHE_MS = 1000;
const MAX_CACHED_PROBES = 1000;

/**
 * Null, or the reason why a folder cannot be used. Much of it is read synchronously on the main thread, and spawning a
 * child with it as cwd blocks the parent, so a mount that does not respond would block the whole server.
 */
export function checkMountResponsive(folder: string): Awaitable<string | null> {
  const cached = mountProbes.get(folder);
  if (cached !== undefined && performance.now() - cached.probedAt < PROBE_CACHE_MS)
    return cached.unresponsive;
  if (mountProbes.size >= MAX_CACHED_PROBES) mountProbes.clear();
  const unresponsive = probeMount(folder);
  const probe: MountProbe = { unresponsive, probedAt: performance.now() };
  mountProbes.set(folder, probe);
  return unresponsive.then((reason) => {
    probe.unresponsive = reason;
    return reason;
  });
}

async function probeMount(folder: string): Promise<string | null> {
  const mount = mountOf(folder);
  if (fileGate.isStuck(mount)) return describeUnresponsive(folder);
  // With a key of its own, because other work on the mount may take long without being stuck.
  const { kind } = await fileGate.run(`look ${mount}`, () => fs.promises.stat(folder).catch(() => null));
  return kind === "done" ? null : describeUnresponsive(folder);
}

export function describeUnresponsive(path: string): string {
  return `the file system of ${path} did not answer within ${FILE_DEADLINE_MS / 1000} seconds`;
}

/** Whether threads of the pool are blocked on a disk, so that the process cannot exit. */
export function hasStuckThreads(): boolean {
  return fileGate.overdue > 0;
}
