/**
 * Files that are not indexed yet, by thread. Before its file is read, a thread has only a range of possible sort keys;
 * the range decides whether a page could contain it.
 */

import type { Logger } from "../../../base/logger.ts";
import { createDeferred, type Deferred } from "../../../base/tasks.ts";
import type { ThreadPosition, ThreadQuery } from "../../pages/thread-list.ts";
import type { ThreadOrder } from "../../thread-store.ts";
import type { FoundRollout } from "../rollout/find-rollouts.ts";
import { compareNewestFirst, createdRange, type TimeRange } from "../rollout/rollout-name.ts";

export interface PendingThread {
  readonly threadId: string;
  /** The current file comes first. */
  readonly files: readonly FoundRollout[];
  /** The range of sort keys for lists by creation; null until computed. */
  created: TimeRange | null;
  /** The modification time of the current file; null until read. */
  changedAtMs: number | null;
}

/** A query for pending threads that a page may lack, sorted in the order of the page. */
export interface PageGap {
  readonly query: Pick<ThreadQuery, "order" | "direction" | "from" | "archived">;
  /** The last thread of the page; null if the page is not full. */
  readonly last: Pick<ThreadPosition, "value" | "id"> | null;
  readonly limit: number;
}

const ANY_TIME: TimeRange = { earliest: Number.NEGATIVE_INFINITY, latest: Number.POSITIVE_INFINITY };

export class Backlog {
  readonly #threads = new Map<string, PendingThread>();
  /** Files of reverted threads, whose rollout id differs from the thread id. */
  readonly #reverts = new Map<string, FoundRollout>();

  #files = 0;
  #removals = 0;

  get files(): number {
    return this.#files;
  }

  /** Changes whenever a thread is removed. */
  get removals(): number {
    return this.#removals;
  }

  add(found: FoundRollout): void {
    const { threadId, rolloutId } = found.name;
    const known = this.#threads.get(threadId);
    if (known?.files.some(({ path }) => path === found.path) === true) return;
    if (rolloutId !== threadId) this.#reverts.set(rolloutId, found);
    const files = known === undefined ? [found] : [...known.files, found].sort(compareCurrentFirst);
    this.#threads.set(threadId, { threadId, files, created: null, changedAtMs: null });
    this.#files += 1;
  }

  has(thread: PendingThread): boolean {
    return this.#threads.get(thread.threadId) === thread;
  }

  /** Removes a thread that has been indexed. */
  drop({ threadId, files }: PendingThread): void {
    this.#threads.delete(threadId);
    for (const { name } of files) this.#reverts.delete(name.rolloutId);
    this.#files -= files.length;
    this.#removals += 1;
  }

  clear(): void {
    this.#threads.clear();
    this.#reverts.clear();
    this.#files = 0;
    this.#removals += 1;
  }

  file(rolloutId: string): FoundRollout | null {
    const own = this.#threads.get(rolloutId)?.files.find(({ name }) => name.rolloutId === rolloutId);
    return own ?? this.#reverts.get(rolloutId) ?? null;
  }

  thread(rolloutId: string): PendingThread | null {
    return this.#threads.get(this.file(rolloutId)?.name.threadId ?? "") ?? null;
  }

  /** In the order of discovery. */
  first(limit: number): PendingThread[] {
    const found: PendingThread[] = [];
    for (const thread of this.#threads.values()) {
      if (found.length >= limit) break;
      found.push(thread);
    }
    return found;
  }

  /** Threads whose modification time `missingFrom` needs. */
  untimed(order: ThreadOrder): PendingThread[] {
    if (order === "created_at") return [];
    return [...this.#threads.values()].filter(({ changedAtMs }) => changedAtMs === null);
  }

  missingFrom({ query, last, limit }: PageGap): PendingThread[] {
    const isRising = query.direction === "asc";
    const candidates: PendingThread[] = [];
    for (const thread of this.#threads.values()) {
      if (isArchived(thread) === query.archived && mayBeOnPage(thread, query, last)) candidates.push(thread);
    }
    if (candidates.length <= limit) return candidates;
    const key = (thread: PendingThread): number => {
      const { earliest, latest } = rangeOf(thread, query.order);
      return isRising ? earliest : -latest;
    };
    const sign = isRising ? 1 : -1;
    return lowest(candidates, { key, compareIds: (one, other) => sign * compareText(one, other), limit });
  }
}

function isArchived({ files }: PendingThread): boolean {
  return files[0]?.archived === true;
}

function rangeOf(thread: PendingThread, order: ThreadOrder): TimeRange {
  const { files, changedAtMs } = thread;
  if (order === "created_at") {
    thread.created ??= files.map(({ name }) => createdRange(name)).reduce(union);
    return thread.created;
  }
  // The index may already have another file of the same thread, with another time.
  if (changedAtMs === null || files.some(({ name }) => name.rolloutId !== name.threadId)) return ANY_TIME;
  return { earliest: changedAtMs, latest: changedAtMs };
}

/** Whether the thread may lie between the start and the end of a page. */
function mayBeOnPage(thread: PendingThread, query: PageGap["query"], last: PageGap["last"]): boolean {
  const { from, direction, order } = query;
  const { earliest, latest } = rangeOf(thread, order);
  if (last !== null && earliest === latest && earliest === last.value) {
    return compareText(thread.threadId, last.id) === (direction === "asc" ? -1 : 1);
  }
  if (direction === "asc") {
    return (last === null || earliest <= last.value) && (from === null || latest >= from.value);
  }
  return (last === null || latest >= last.value) && (from === null || earliest <= from.value);
}

interface Choice {
  readonly key: (thread: PendingThread) => number;
  readonly compareIds: (one: string, other: string) => number;
  readonly limit: number;
}

/** The threads with the lowest keys; ties are broken by id, as in lists. */
function lowest(threads: readonly PendingThread[], { key, compareIds, limit }: Choice): PendingThread[] {
  // A typed array of numbers sorts many times faster than the threads.
  const border = Float64Array.from(threads, key).sort()[limit - 1] ?? 0;
  const below = threads.filter((thread) => key(thread) < border);
  const level = threads.filter((thread) => key(thread) === border);
  if (below.length + level.length > limit) {
    level.sort((one, other) => compareIds(one.threadId, other.threadId));
  }
  return [...below, ...level.slice(0, limit - below.length)];
}

function union(one: TimeRange, other: TimeRange): TimeRange {
  return { earliest: Math.min(one.earliest, other.earliest), latest: Math.max(one.latest, other.latest) };
}

/** The current file of a thread is the newest active one, or the newest archived one if none is active. */
export function compareCurrentFirst(one: FoundRollout, other: FoundRollout): number {
  return (
    Number(one.archived) - Number(other.archived) ||
    compareNewestFirst(one.name, other.name) ||
    compareText(one.path, other.path)
  );
}

function compareText(one: string, other: string): -1 | 0 | 1 {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Counts the callers that wait for the index, and logs progress. */

export interface FillProgress {
  /** Counts a waiting caller until the returned function is called. */
  wait(): () => void;
  whenIdle(): Promise<void>;
  /** Must be called after each step. */
  report(): void;
}

export interface FillProgressOptions {
  readonly backlog: Pick<Backlog, "files">;
  readonly log: Logger;
  readonly now: () => number;
}

const REPORT_EVERY_MS = 2000;

export function createFillProgress({ backlog, log, now }: FillProgressOptions): FillProgress {
  let waiting = 0;
  let free: Deferred<void> | null = null;
  let most = 0;
  let reportedAt = now();

  return {
    wait() {
      waiting += 1;
      return () => {
        waiting -= 1;
        if (waiting > 0) return;
        free?.resolve();
        free = null;
      };
    },
    whenIdle() {
      if (waiting === 0) return Promise.resolve();
      free ??= createDeferred();
      return free.promise;
    },
    report() {
      const { files } = backlog;
      if (most === 0) reportedAt = now();
      most = files === 0 ? 0 : Math.max(most, files);
      if (files === 0 || now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = now();
      const message = `history is being indexed: ${most - files} of ${most} files`;
      // An operator sees the cause of a slow request without a lower log level.
      if (waiting > 0) log.error(message);
      else log.info(message);
    },
  };
}
