/** Time as a port, so that tests decide when it passes. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since some moment. Unlike `now` it never runs back, so that differences of it are durations. */
  monotonic(): number;
  /** Runs `task` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, task: () => void, options?: TimerOptions): () => void;
}

export interface TimerOptions {
  /** Whether a process goes on for it that has nothing else to do; it does unless told. */
  readonly keepsAlive?: boolean;
}

/** The longest wait that one timer of Node takes; asked for more, it fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, task, { keepsAlive = true } = {}) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      timer =
        leftMs <= LONGEST_TIMER_MS
          ? setTimeout(task, leftMs)
          : setTimeout(() => wait(leftMs - LONGEST_TIMER_MS), LONGEST_TIMER_MS);
      if (!keepsAlive) timer.unref();
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * When something began, and how long ago that is. The clock on the wall may be set back or forth in the meantime: the
 * times that are shown of one thing stay in order, and their difference is how long it took.
 */
export interface Stopwatch {
  /** Milliseconds since the Unix epoch, as all that is called a time. */
  readonly startedAtMs: number;
  /** In whole milliseconds. */
  elapsedMs(): number;
  /** The time, by the clock as it was at the start. */
  nowMs(): number;
}

export function startStopwatch(clock: Pick<Clock, "now" | "monotonic">): Stopwatch {
  const startedAtMs = clock.now();
  const start = clock.monotonic();
  const elapsedMs = (): number => Math.round(clock.monotonic() - start);
  return { startedAtMs, elapsedMs, nowMs: () => startedAtMs + elapsedMs() };
}

/** Resolves after the delay, or at once when aborted. */
export function wait(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const stop = () => {
      cancel();
      resolve();
    };
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    signal.addEventListener("abort", stop, { once: true });
  });
}
