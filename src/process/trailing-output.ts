/** Waits for the trailing output of a process: its exit may be reported before its last output. */
import type { Clock } from "../base/clock.ts";
import type { RunningProcess } from "./process-host.ts";

/** How long output is awaited after the exit if another process still holds the pipe. */
const TRAILING_OUTPUT_MS = 50;
/**
 * The timeout is split into steps, between which pending output is read: a process that got no CPU time for a while would
 * otherwise see the timeout expire before it has polled its pipes.
 */
const STEPS = 5;

/** Resolves when the output is closed, after a short timeout, or on abort. */
export function untilDrained(
  { closed }: Pick<RunningProcess, "closed">,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let cancel = (): void => {};
    const stop = (): void => {
      cancel();
      signal?.removeEventListener("abort", stop);
      resolve();
    };
    const countDown = (steps: number): void => {
      if (steps === 0) stop();
      else cancel = clock.after(TRAILING_OUTPUT_MS / STEPS, () => countDown(steps - 1));
    };
    countDown(STEPS);
    void closed.then(stop);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
  });
}
