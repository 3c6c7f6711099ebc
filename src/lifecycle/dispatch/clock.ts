/** The time port. Deadlines are timers, so that changes of the wall clock do not affect them. */
export interface LifecycleClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs the task once after the delay; the returned function cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

/** The longest delay of one timer; `setTimeout` fires immediately for longer ones. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemLifecycleClock: LifecycleClock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, Math.min(delayMs, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Whole seconds for a receipt; 0 where the clock is unusable. */
export function epochSeconds(clock: Pick<LifecycleClock, "now">): number {
  const seconds = Math.floor(clock.now() / 1000);
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : 0;
}

/** Resolves after the delay, or immediately when aborted. */
export function delay(
  clock: LifecycleClock,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal?.addEventListener("abort", end, { once: true });
  });
}

export type Ended<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "timed_out" }
  | { readonly kind: "cancelled" };

/** Runs work that may never finish. Its signal is aborted when the result is no longer awaited. */
export function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  limits: {
    readonly clock: LifecycleClock;
    readonly deadlineMs: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Ended<T>> {
  const { clock, deadlineMs, signal: outer } = limits;
  if (outer?.aborted === true) return Promise.resolve({ kind: "cancelled" });
  return new Promise((resolve) => {
    const inner = new AbortController();
    const end = (ended: Ended<T>): void => {
      cancel();
      outer?.removeEventListener("abort", cancelled);
      resolve(ended);
      inner.abort();
    };
    const cancelled = (): void => end({ kind: "cancelled" });
    const cancel = clock.after(deadlineMs, () => end({ kind: "timed_out" }));
    outer?.addEventListener("abort", cancelled, { once: true });
    new Promise<T>((settle) => settle(work(inner.signal))).then(
      (value) => end({ kind: "done", value }),
      (error: unknown) => end({ kind: "threw", error }),
    );
  });
}
