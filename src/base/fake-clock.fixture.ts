import type { Clock } from "./clock.ts";

/** A clock for tests: time passes only in `advance`. */
export interface FakeClock extends Clock {
  /** Advances time and runs the due timers in order. */
  advance(ms: number): void;
  /** Adjusts the wall clock, forwards or backwards, without advancing time. */
  set(ms: number): void;
  /** Resolves when a timer with this delay is pending. */
  timer(delayMs: number): Promise<void>;
  /** The delays of the pending timers, shortest first. */
  readonly waiting: readonly number[];
}

interface Timer {
  readonly delayMs: number;
  readonly at: number;
  readonly task: () => void;
}

export function createFakeClock(startMs = 0): FakeClock {
  const timers = new Set<Timer>();
  const watchers = new Set<{ delayMs: number; resolve: () => void }>();
  let time = startMs;
  /** The difference between wall clock and monotonic time, from `set`. */
  let shift = 0;

  return {
    now: () => time + shift,
    monotonic: () => time,
    set(ms) {
      shift = ms - time;
    },
    after(delayMs, task) {
      const timer = { delayMs, at: time + delayMs, task };
      timers.add(timer);
      for (const watcher of watchers) {
        if (watcher.delayMs === delayMs) {
          watchers.delete(watcher);
          watcher.resolve();
        }
      }
      return () => timers.delete(timer);
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers.delete(due);
        time = due.at;
        due.task();
      }
      time = end;
    },
    timer: (delayMs) =>
      new Promise((resolve) => {
        if ([...timers].some((timer) => timer.delayMs === delayMs)) resolve();
        else watchers.add({ delayMs, resolve });
      }),
    get waiting() {
      return [...timers].map(({ delayMs }) => delayMs).sort((a, b) => a - b);
    },
  };
}
