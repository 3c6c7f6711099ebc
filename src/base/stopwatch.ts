import type { Clock } from "./clock.ts";

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
