/** Time as a port, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since an arbitrary origin. Unlike `now` it never runs backwards, so differences are durations. */
  monotonic(): number;
  /** Runs `task` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, task: () => void, options?: TimerOptions): () => void;
}

export interface TimerOptions {
  /** Whether the timer keeps the event loop alive; defaults to true. */
  readonly keepsAlive?: boolean;
}

/** The longest delay of one Node timer; with a longer one it fires immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  // `performance` loads half a millisecond of modules on its first use, which would be during the start.
  monotonic() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  after(delayMs, task, options) {
    if (delayMs > MAX_TIMER_MS) return afterLong(delayMs, task, options);
    const timer = setTimeout(task, delayMs);
    if (options?.keepsAlive === false) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A delay of several Node timers, one after the other. */
function afterLong(delayMs: number, task: () => void, options: TimerOptions | undefined): () => void {
  let cancel = systemClock.after(
    MAX_TIMER_MS,
    () => {
      cancel = systemClock.after(delayMs - MAX_TIMER_MS, task, options);
    },
    options,
  );
  return () => cancel();
}

/**
 * A start time and the time elapsed since. The wall clock may be adjusted meanwhile: timestamps taken from one stopwatch
 * stay in order, and their difference is the duration.
 */
export interface Stopwatch {
  /** Milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  /** In whole milliseconds. */
  elapsedMs(): number;
  /** The start time plus the elapsed time, whatever the wall clock shows now. */
  nowMs(): number;
}

export function startStopwatch(clock: Pick<Clock, "now" | "monotonic">): Stopwatch {
  const startedAtMs = clock.now();
  const start = clock.monotonic();
  const elapsedMs = (): number => Math.round(clock.monotonic() - start);
  return { startedAtMs, elapsedMs, nowMs: () => startedAtMs + elapsedMs() };
}

/** Resolves after the delay, or immediately on abort. */
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
