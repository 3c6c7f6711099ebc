/**
 * Drains queues without a client: a thread is loaded when its queue is due, and its rows start as in any loaded thread.
 * Several servers may serve one home: the lease of a thread decides which of them loads it, and the others retry later.
 */

import { createAlarm } from "../base/alarm.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { inBackground, logFailure } from "../base/tasks.ts";
import { ATTENDED_MS, type Queue } from "../store/queue.ts";
import type { Store } from "../store/store.ts";
import type { ThreadService } from "./thread-service.ts";

export interface BackgroundQueues {
  /** `maxThreads` is the limit of threads that are loaded for their queues at a time. */
  start(maxThreads: number): void;
  /** Whether threads that are due wait until others are unloaded. */
  isFull(): boolean;
  readonly isOn: () => boolean;
  /** Checks for queues that are due. */
  check(): void;
  /** Whether a thread was loaded for its queue, and no client has subscribed since. */
  isLoadedForQueue(threadId: string): boolean;
  /** A client has subscribed to a thread. */
  joined(threadId: string): void;
  /** A turn has begun in a thread. */
  turnStarted(threadId: string): void;
  unloaded(threadId: string): void;
  /** Loads no further thread, and withdraws the announcement that this process drains queues. */
  stop(): Promise<void>;
}

export interface BackgroundQueuesOptions {
  readonly queue: () => Promise<Pick<Queue, "due" | "attend" | "leave">>;
  readonly store: () => Promise<Pick<Store, "isHeld">>;
  readonly threads: Pick<ThreadService, "load">;
  readonly isLoaded: (threadId: string) => boolean;
  /** Whether its turn waits for an answer, which may take as long as a night; it then makes room for another thread. */
  readonly isAsking: (threadId: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Threads that are loaded concurrently. */
export const MAX_LOADING = 4;
const RECHECK_MS = 60_000;
const ATTEND_EVERY_MS = ATTENDED_MS / 3;
/** The first retry delay of a thread that could not be loaded; it doubles up to the maximum. */
export const RETRY_MS = 10_000;
const MAX_RETRY_MS = 600_000;

/** A thread whose queue is due and that could not be loaded. */
interface RetryState {
  readonly retryAt: number;
  readonly delayMs: number;
  /** Null if another process holds the thread, or none of its rows could start. */
  readonly reason: string | null;
}

export function createBackgroundQueues(options: BackgroundQueuesOptions): BackgroundQueues {
  const { queue, clock, log, isLoaded } = options;
  const own = createOwnThreads(options);
  const retries = createRetries(clock, log);
  const attendance = createAttendance(options);
  let maxThreads = 0;
  const loading = createLoading(options, {
    room: () => maxThreads - own.busy(),
    onDone(threadId, outcome) {
      if (outcome === "loaded") own.add(threadId);
      else if (outcome !== "wasLoaded") {
        retries.schedule(threadId, outcome.reason);
        check();
      }
    },
  });
  let state: "off" | "on" | "stopped" = "off";
  let checking: "no" | "yes" | "again" = "no";
  const alarm = createAlarm(clock, { recheckMs: RECHECK_MS, onTime: check });

  /** Loads threads that are due, and sets the alarm for the next one. Checks that are requested meanwhile are coalesced. */
  async function checkNow(): Promise<void> {
    try {
      do {
        checking = "yes";
        const { threadIds, nextAtMs } = await (await queue()).due();
        if (state !== "on") return;
        loadDue(new Set(threadIds), nextAtMs ?? Infinity);
      } while (mustCheckAgain());
    } catch (error) {
      log.error("due queues could not be read", { error: messageOf(error) });
      if (state === "on") alarm.set(clock.now() + RETRY_MS);
    } finally {
      checking = "no";
    }
  }

  function loadDue(due: ReadonlySet<string>, nextAtMs: number): void {
    retries.keepOnly(due);
    loading.want([...due].filter((threadId) => !isLoaded(threadId) && retries.isTime(threadId)));
    alarm.set(Math.min(nextAtMs, retries.nextAtMs()));
  }

  const mustCheckAgain = (): boolean => checking === "again";

  function check(): void {
    if (state !== "on") return;
    if (checking !== "no") {
      checking = "again";
      return;
    }
    inBackground(log, "checking for due queues", checkNow());
  }

  return {
    start(limit) {
      if (state !== "off") return;
      state = "on";
      maxThreads = limit;
      attendance.begin();
      check();
    },
    isFull: loading.hasWaiting,
    isOn: () => state === "on",
    check,
    isLoadedForQueue: own.has,
    joined(threadId) {
      if (own.remove(threadId) !== null) check();
    },
    turnStarted(threadId) {
      retries.forget(threadId);
      own.run(threadId);
    },
    unloaded(threadId) {
      // Loading it again at once would loop, because none of its rows could start.
      if (own.remove(threadId)?.hasRun === false) retries.schedule(threadId, null, "rarely");
      check();
    },
    async stop() {
      if (state !== "on") return;
      state = "stopped";
      alarm.stop();
      loading.stop();
      await attendance.end();
    },
  };
}

/** Threads that were loaded for their queues, and whether a turn has begun in them. */
function createOwnThreads({ isAsking, log }: Pick<BackgroundQueuesOptions, "isAsking" | "log">) {
  const threads = new Map<string, { hasRun: boolean }>();
  return {
    add(threadId: string): void {
      threads.set(threadId, { hasRun: false });
      log.info("a thread was loaded for its queue", { threadId });
    },
    has: (threadId: string): boolean => threads.has(threadId),
    /** How many of them count towards the limit. */
    busy: (): number => [...threads.keys()].filter((threadId) => !isAsking(threadId)).length,
    run(threadId: string): void {
      if (threads.has(threadId)) threads.set(threadId, { hasRun: true });
    },
    remove(threadId: string): { readonly hasRun: boolean } | null {
      const thread = threads.get(threadId) ?? null;
      threads.delete(threadId);
      return thread;
    },
  };
}

interface LoadingOptions {
  /** How many more threads may be loaded. */
  readonly room: () => number;
  readonly onDone: (threadId: string, outcome: LoadOutcome) => void;
}

/** Loads threads in the given order, `MAX_LOADING` at a time and no more than there is room for. */
function createLoading(options: BackgroundQueuesOptions, { room, onDone }: LoadingOptions) {
  let waiting = new Set<string>();
  const inProgress = new Set<string>();
  let isStopped = false;

  function begin(): void {
    for (const threadId of waiting) {
      if (inProgress.size >= Math.min(MAX_LOADING, room()) || isStopped) return;
      waiting.delete(threadId);
      inProgress.add(threadId);
      const done = tryLoad(threadId, options)
        .then((outcome) => onDone(threadId, outcome))
        .finally(() => {
          inProgress.delete(threadId);
          begin();
        });
      inBackground(options.log, "loading a thread for its queue", done);
    }
  }

  return {
    /** Replaces the threads that wait. */
    want(threadIds: readonly string[]): void {
      waiting = new Set(threadIds.filter((threadId) => !inProgress.has(threadId)));
      begin();
    },
    hasWaiting: (): boolean => waiting.size > 0,
    stop(): void {
      isStopped = true;
    },
  };
}

type LoadOutcome = "loaded" | "wasLoaded" | Pick<RetryState, "reason">;

async function tryLoad(threadId: string, options: BackgroundQueuesOptions): Promise<LoadOutcome> {
  if (options.isLoaded(threadId)) return "wasLoaded";
  const store = await options.store();
  if (await store.isHeld(threadId)) return { reason: null };
  const reason = await options.threads.load(threadId).then(
    (refused) => refused?.message ?? null,
    (error: unknown) => messageOf(error),
  );
  if (reason === null) return "loaded";
  // Another process may have taken the lease meanwhile.
  return { reason: (await store.isHeld(threadId)) ? null : reason };
}

/** Exponential backoff for threads that could not be loaded. */
function createRetries(clock: Clock, log: Logger) {
  const refused = new Map<string, RetryState>();
  return {
    /** Logs a reason once, and again when it changes. */
    schedule(threadId: string, reason: string | null, how = reason === null ? "soon" : "rarely"): void {
      const before = refused.get(threadId);
      const isRepeated = before !== undefined && how === "rarely";
      const delayMs = isRepeated ? Math.min(MAX_RETRY_MS, before.delayMs * 2) : RETRY_MS;
      refused.set(threadId, { retryAt: clock.now() + delayMs, delayMs, reason });
      if (reason !== null && reason !== before?.reason)
        log.warn("queued turns of a thread cannot be started and will be retried", { threadId, reason });
    },
    isTime: (threadId: string): boolean => (refused.get(threadId)?.retryAt ?? 0) <= clock.now(),
    /** The time of the next retry. */
    nextAtMs(): number {
      let next = Infinity;
      for (const { retryAt } of refused.values()) if (retryAt > clock.now()) next = Math.min(next, retryAt);
      return next;
    },
    keepOnly(due: ReadonlySet<string>): void {
      for (const threadId of refused.keys()) if (!due.has(threadId)) refused.delete(threadId);
    },
    forget: (threadId: string): void => void refused.delete(threadId),
  };
}

/** Announces to other processes that this one drains queues. */
function createAttendance({ queue, clock, log }: Pick<BackgroundQueuesOptions, "queue" | "clock" | "log">) {
  let cancel = (): void => {};
  function begin(): void {
    cancel = clock.after(ATTEND_EVERY_MS, begin, { keepsAlive: false });
    const announced = queue().then((its) => its.attend());
    inBackground(log, "announcing that this server drains queues", announced);
  }
  return {
    begin,
    async end(): Promise<void> {
      cancel();
      try {
        await (await queue()).leave();
      } catch (error) {
        // Only logged: the announcement expires without renewal.
        logFailure(log, "withdrawing the announcement that this server drains queues", error);
      }
    },
  };
}
