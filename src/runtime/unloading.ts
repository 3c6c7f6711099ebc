import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { inBackground } from "../base/tasks.ts";
import type { Engine } from "../engine/engine.ts";
import type { ThreadService } from "./thread-service.ts";

/** The subscribers of threads; unloading depends only on their number. */
export interface ThreadSubscribers {
  of(threadId: string): { readonly size: number };
  /** Includes subscribers of the threads that spawned it. */
  ofFamily(threadId: string): { readonly size: number };
}

export interface UnloadingOptions {
  readonly engine: Pick<Engine, "find">;
  readonly threads: Pick<ThreadService, "unload">;
  readonly subscriptions: Pick<ThreadSubscribers, "of">;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long an idle thread without subscribers stays loaded. */
  readonly idleMs: (threadId: string) => number;
  /** Whether the running turn of a thread can be left to the process that loads the thread next. */
  readonly mayLeaveTurn: (threadId: string) => boolean;
  /** Whether a thread has queued rows and no server would load it for them. */
  readonly isNeeded: (threadId: string) => boolean;
}

/** The minimum delay of the next check of a thread that is still needed. */
const RECHECK_MS = 10_000;

/** Unloads idle threads. The timer restarts whenever a thread's subscribers or its status change. */
export interface Unloading {
  changed(threadId: string): void;
  close(): void;
}

export function createUnloading(options: UnloadingOptions): Unloading {
  const { engine, threads, subscriptions, clock, log, idleMs, isNeeded, mayLeaveTurn } = options;
  const timers = new Map<string, () => void>();
  let isClosed = false;

  function isIdle(threadId: string): boolean {
    const turnId = engine.find(threadId)?.activeTurnId;
    if (turnId === undefined || subscriptions.of(threadId).size > 0) return false;
    return turnId === null || mayLeaveTurn(threadId);
  }

  function cancel(threadId: string): void {
    timers.get(threadId)?.();
    timers.delete(threadId);
  }

  function changed(threadId: string): void {
    cancel(threadId);
    if (isClosed) return;
    if (!isIdle(threadId)) return;
    const idle = idleMs(threadId);
    const stop = clock.after(isNeeded(threadId) ? Math.max(idle, RECHECK_MS) : idle, () => {
      timers.delete(threadId);
      if (isNeeded(threadId)) return changed(threadId);
      const isUnneeded = () => isIdle(threadId) && !isNeeded(threadId);
      inBackground(log, "unloading a thread", threads.unload(threadId, isUnneeded));
    });
    timers.set(threadId, stop);
  }

  return {
    changed,
    close() {
      isClosed = true;
      for (const threadId of timers.keys()) cancel(threadId);
    },
  };
}
