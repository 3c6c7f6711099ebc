import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Subscriptions } from "../connections/subscriptions.ts";

export interface UnloadingOptions {
  readonly engine: Engine;
  readonly subscriptions: Subscriptions;
  readonly clock: Clock;
  /** How long a thread stays loaded when nobody hears of it and nothing happens in it. */
  readonly idleMs: () => number;
}

/** Unloads threads that nobody needs. The time begins anew whenever a thread's clients or its status change. */
export interface Unloading {
  changed(threadId: string): void;
  close(): void;
}

export function createUnloading({ engine, subscriptions, clock, idleMs }: UnloadingOptions): Unloading {
  const timers = new Map<string, () => void>();
  let isClosed = false;

  function cancel(threadId: string): void {
    timers.get(threadId)?.();
    timers.delete(threadId);
  }

  return {
    changed(threadId) {
      cancel(threadId);
      if (isClosed) return;
      const thread = engine.find(threadId);
      if (thread === undefined || thread.activeTurnId !== null || subscriptions.of(threadId).size > 0) return;
      const stop = clock.after(idleMs(), () => {
        timers.delete(threadId);
        engine.unload(threadId);
      });
      timers.set(threadId, stop);
    },
    close() {
      isClosed = true;
      for (const threadId of timers.keys()) cancel(threadId);
    },
  };
}
