import type { LifecycleClock } from "./clock.ts";

/** A clock that a test advances by hand. */
export interface ManualClock extends LifecycleClock {
  /** Fires the timers that are due, in order, and moves the wall clock. */
  advance(byMs: number): void;
  /** Sets the wall clock, and moves no timer. */
  setWall(ms: number): void;
  /** The number of pending timers. */
  waiting(): number;
  /** Resolves when there is a timer with this delay. */
  timerOf(delayMs: number): Promise<void>;
}

export function createManualClock(wallMs = 1_700_000_000_000): ManualClock {
  let elapsed = 0;
  let offset = wallMs;
  const timers = new Set<{ readonly at: number; readonly delay: number; readonly task: () => void }>();
  const watchers = new Set<{ readonly delay: number; readonly resolve: () => void }>();
  return {
    now: () => offset + elapsed,
    after(delay, task) {
      const timer = { at: elapsed + delay, delay, task };
      timers.add(timer);
      for (const watcher of watchers) if (watcher.delay === delay) watcher.resolve();
      return () => void timers.delete(timer);
    },
    advance(byMs) {
      elapsed += byMs;
      const due = [...timers].filter(({ at }) => at <= elapsed).sort((one, other) => one.at - other.at);
      for (const timer of due) if (timers.delete(timer)) timer.task();
    },
    setWall: (ms) => {
      offset = ms - elapsed;
    },
    waiting: () => timers.size,
    timerOf: (delay) =>
      new Promise((resolve) => {
        if ([...timers].some((timer) => timer.delay === delay)) resolve();
        else watchers.add({ delay, resolve });
      }),
  };
}
