/** Time as a port, so that tests decide when it passes. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since some moment. Unlike `now` it never runs back, so that differences of it are durations. */
  monotonic(): number;
  /** Runs `task` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

/** The longest wait that one timer of Node takes; asked for more, it fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, task) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      timer =
        leftMs <= LONGEST_TIMER_MS
          ? setTimeout(task, leftMs)
          : setTimeout(() => wait(leftMs - LONGEST_TIMER_MS), LONGEST_TIMER_MS);
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  },
};
