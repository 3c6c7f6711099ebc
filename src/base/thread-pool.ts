import { stat } from "node:fs/promises";
import { type Clock, systemClock } from "./clock.ts";
import { mountOf } from "./mounts.ts";
import { createDeferred } from "./tasks.ts";

export type PoolOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  /** Nobody waits for it any longer. A call of the system cannot be taken back: it goes on, perhaps for ever. */
  | { readonly kind: "timeout" };

/** Lets work on files be waited for only so long, and leaves threads of the pool to other work. */
export interface PoolGate {
  /** The work on one mount is done one after the other; while it is stuck, no more is begun there. */
  run<T>(mount: string, work: () => Promise<T>): Promise<PoolOutcome<T>>;
  /** Whether work on a mount has not ended in its time. */
  isStuck(mount: string): boolean;
  /** How much work has not ended in its time, and holds threads. A process whose threads are held cannot exit. */
  readonly overdue: number;
}

export interface PoolGateOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** How much may run at once, on all mounts together. */
  readonly places: number;
}

/** A read that takes longer comes from a disk that is not there any more. */
export const FILE_DEADLINE_MS = 10_000;
/** Node's pool has four threads, which everything that is asynchronous in it shares. */
const OUTSIDE_PLACES = 3;

interface Waiting {
  readonly mount: string;
  readonly start: () => void;
  readonly giveUp: () => void;
}

export function createPoolGate({ clock, deadlineMs, places }: PoolGateOptions): PoolGate {
  const waiting = new Set<Waiting>();
  /** The mounts on which something runs, and whether it is overdue. */
  const busy = new Map<string, "running" | "overdue">();
  let overdue = 0;

  async function start<T>(mount: string, work: () => Promise<T>): Promise<PoolOutcome<T>> {
    busy.set(mount, "running");
    const late = createDeferred<PoolOutcome<T>>();
    const cancel = clock.after(deadlineMs, () => {
      busy.set(mount, "overdue");
      overdue += 1;
      late.resolve({ kind: "timeout" });
      for (const entry of waiting) if (isHopeless(entry.mount)) entry.giveUp();
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

  /** Whoever waits longest of those that can go on. */
  function startNext(): void {
    for (const entry of waiting) if (isFree(entry.mount)) return entry.start();
  }

  const isFree = (mount: string): boolean => busy.size < places && !busy.has(mount);
  const isStuck = (mount: string): boolean => busy.get(mount) === "overdue";
  const isHopeless = (mount: string): boolean => isStuck(mount) || overdue >= places;

  return {
    run(mount, work) {
      if (isFree(mount)) return start(mount, work);
      if (isHopeless(mount)) return Promise.resolve({ kind: "timeout" });
      return new Promise((resolve) => {
        const entry: Waiting = {
          mount,
          start() {
            waiting.delete(entry);
            resolve(start(mount, work));
          },
          giveUp() {
            waiting.delete(entry);
            resolve({ kind: "timeout" });
          },
        };
        waiting.add(entry);
      });
    },
    isStuck,
    get overdue() {
      return overdue;
    },
  };
}

/**
 * The pool belongs to the process and so does this count: two servers that each counted for themselves would use it up
 * together.
 */
const fileGate = createPoolGate({
  clock: systemClock,
  deadlineMs: FILE_DEADLINE_MS,
  places: OUTSIDE_PLACES,
});

/**
 * Work on a path that a model or a client has named, and that may lead to a mount that has stopped to answer. It must
 * not ask the pool for more than one thing at a time.
 */
export function runWithDeadline<T>(path: string, work: () => Promise<T>): Promise<PoolOutcome<T>> {
  return fileGate.run(mountOf(path), work);
}

/** What is known of folders: what is done for one request looks at the same one again and again. */
const answers = new Map<
  string,
  { readonly unresponsive: Promise<string | null>; readonly askedAt: number }
>();
const ANSWER_HOLDS_MS = 1000;
const MAX_ANSWERS = 1000;

/**
 * Why a folder cannot be worked in, or null: much of it is looked at without leaving the main thread, and a child that
 * begins in it holds up whoever starts it, so that a disk that does not answer would stop everybody.
 */
export function checkMountResponsive(folder: string): Promise<string | null> {
  const known = answers.get(folder);
  if (known !== undefined && performance.now() - known.askedAt < ANSWER_HOLDS_MS) return known.unresponsive;
  if (answers.size >= MAX_ANSWERS) answers.clear();
  const unresponsive = probeMount(folder);
  answers.set(folder, { unresponsive, askedAt: performance.now() });
  return unresponsive;
}

async function probeMount(folder: string): Promise<string | null> {
  const mount = mountOf(folder);
  if (fileGate.isStuck(mount)) return describeUnresponsive(folder);
  // Beside the work on the mount, which may be long without being stuck.
  const { kind } = await fileGate.run(`look ${mount}`, () => stat(folder).catch(() => null));
  return kind === "done" ? null : describeUnresponsive(folder);
}

export function describeUnresponsive(path: string): string {
  return `the file system of ${path} did not answer within ${FILE_DEADLINE_MS / 1000} seconds`;
}

/** Whether threads of the process wait for a disk, so that it cannot exit. */
export function hasStuckThreads(): boolean {
  return fileGate.overdue > 0;
}
