/**
 * Drains queues without a client: a thread is loaded when its queue is due, and its rows start as in any loaded thread.
 * Several servers may serve one home: the lease of a thread decides which of them loads it, and the others retry later.
 */
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { inBackground, logFailure } from "../base/tasks.ts";
import { ATTENDED_MS, type Queue } from "../store/queue.ts";
import type { Store } from "../store/store.ts";
import type { ThreadService } from "./thread-service.ts";

export interface BackgroundQueues {
  start(): void;
  readonly isOn: () => boolean;
  /** Checks for queues that are due. */
  look(): void;
  /** Whether a thread was loaded for its queue, and no client has subscribed since. */
  isOurs(threadId: string): boolean;
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
  readonly clock: Clock;
  readonly log: Logger;
}

/** Threads that are loaded concurrently. */
export const MAX_LOADING = 4;
/** The clock may be set, and timers do not advance while a machine sleeps. */
const LOOK_AGAIN_MS = 60_000;
const ATTEND_EVERY_MS = ATTENDED_MS / 3;
/** The first retry delay of a thread that could not be loaded; it doubles up to the maximum. */
export const RETRY_MS = 10_000;
const MAX_RETRY_MS = 600_000;

/** A thread whose queue is due and that could not be loaded. */
interface Refused {
  readonly retryAt: number;
  readonly delayMs: number;
  /** Null where another process holds the thread, or no row of it could start. */
  readonly reason: string | null;
}

export function createBackgroundQueues(options: BackgroundQueuesOptions): BackgroundQueues {
  const { queue, clock, log, isLoaded } = options;
  /** Threads that were loaded for their queues, and whether a turn has begun in them. */
  const ours = new Map<string, { hasRun: boolean }>();
  const retries = createRetries(clock, log);
  const attendance = createAttendance(options);
  const loading = createLoading(options, (threadId, outcome) => {
    if (outcome === "loaded") {
      ours.set(threadId, { hasRun: false });
      log.info("a thread was loaded for its queue", { threadId });
    } else if (outcome !== "wasLoaded") leave(threadId, outcome.reason);
  });
  let state: "off" | "on" | "stopped" = "off";
  let looking: "no" | "yes" | "again" = "no";
  const alarm = createAlarm(clock, look);

  /** Loads threads that are due, and sets the alarm for the next one. Checks that are requested meanwhile are coalesced. */
  async function lookNow(): Promise<void> {
    try {
      do {
        looking = "yes";
        const { threadIds, nextAtMs } = await (await queue()).due();
        if (state !== "on") return;
        takeUp(new Set(threadIds), nextAtMs ?? Infinity);
      } while (again());
    } catch (error) {
      log.error("queues that are due could not be found", { error: messageOf(error) });
      if (state === "on") alarm.set(clock.now() + RETRY_MS);
    } finally {
      looking = "no";
    }
  }

  function takeUp(due: ReadonlySet<string>, nextAtMs: number): void {
    retries.keepOnly(due);
    for (const threadId of due) {
      if (!isLoaded(threadId) && retries.isTime(threadId)) loading.add(threadId);
    }
    alarm.set(Math.min(nextAtMs, retries.nextAtMs()));
  }

  const again = (): boolean => looking === "again";

  function leave(threadId: string, reason: string | null): void {
    retries.later(threadId, reason);
    look();
  }

  function look(): void {
    if (state !== "on") return;
    if (looking !== "no") {
      looking = "again";
      return;
    }
    inBackground(log, "looking for queues that are due", lookNow());
  }

  return {
    start() {
      if (state !== "off") return;
      state = "on";
      attendance.begin();
      look();
    },
    isOn: () => state === "on",
    look,
    isOurs: (threadId) => ours.has(threadId),
    joined: (threadId) => void ours.delete(threadId),
    turnStarted(threadId) {
      retries.forget(threadId);
      const own = ours.get(threadId);
      if (own !== undefined) own.hasRun = true;
    },
    unloaded(threadId) {
      const own = ours.get(threadId);
      ours.delete(threadId);
      // Loading it again at once would loop.
      if (own?.hasRun === false) retries.later(threadId, null, "rarely");
      look();
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

/** One timer for all threads. It fires at least every `LOOK_AGAIN_MS`, to read the clock again. */
function createAlarm(clock: Clock, onTime: () => void) {
  let stop = (): void => {};
  return {
    set(timeMs: number): void {
      stop();
      const delayMs = Math.min(LOOK_AGAIN_MS, Math.max(0, timeMs - clock.now()));
      stop = clock.after(delayMs, onTime, { keepsAlive: false });
    },
    stop: (): void => stop(),
  };
}

/** Loads threads, `MAX_LOADING` at a time. */
function createLoading(
  options: BackgroundQueuesOptions,
  onDone: (threadId: string, outcome: LoadOutcome) => void,
) {
  const waiting = new Set<string>();
  const underWay = new Set<string>();
  let isStopped = false;

  function begin(): void {
    for (const threadId of waiting) {
      if (underWay.size >= MAX_LOADING || isStopped) return;
      waiting.delete(threadId);
      underWay.add(threadId);
      const done = tryLoad(threadId, options)
        .then((outcome) => onDone(threadId, outcome))
        .finally(() => {
          underWay.delete(threadId);
          begin();
        });
      inBackground(options.log, "loading a thread for its queue", done);
    }
  }

  return {
    add(threadId: string): void {
      if (!underWay.has(threadId)) waiting.add(threadId);
      begin();
    },
    stop(): void {
      isStopped = true;
    },
  };
}

type LoadOutcome = "loaded" | "wasLoaded" | Pick<Refused, "reason">;

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
  const refused = new Map<string, Refused>();
  return {
    /** Logs a reason once, and again when it changes. */
    later(threadId: string, reason: string | null, how = reason === null ? "soon" : "rarely"): void {
      const before = refused.get(threadId);
      const isAgain = before !== undefined && how === "rarely";
      const delayMs = isAgain ? Math.min(MAX_RETRY_MS, before.delayMs * 2) : RETRY_MS;
      refused.set(threadId, { retryAt: clock.now() + delayMs, delayMs, reason });
      if (reason !== null && reason !== before?.reason)
        log.warn("queued turns of a thread cannot be started, and are tried again", { threadId, reason });
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
    const told = queue().then((its) => its.attend());
    inBackground(log, "telling that queues are attended to", told);
  }
  return {
    begin,
    async end(): Promise<void> {
      cancel();
      try {
        await (await queue()).leave();
      } catch (error) {
        // The announcement expires by itself.
        logFailure(log, "telling that queues are not attended to any more", error);
      }
    },
  };
}
