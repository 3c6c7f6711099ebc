/** Waits for what a process wrote last: its exit may be known before its output is. */
import type { Clock } from "../base/clock.ts";
import type { RunningProcess } from "./process-host.ts";

/** How long output is awaited after the exit, for a child that left its pipe to others. */
const TRAILING_OUTPUT_MS = 50;
/**
 * In steps, between which what has arrived is read: a process that had no processor for a while finds the time over
 * before it has looked whether there is any output.
 */
const STEPS = 5;

/** Resolves when nothing holds the output any more, or after a short time. */
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
    const take = (steps: number): void => {
      if (steps === 0) stop();
      else cancel = clock.after(TRAILING_OUTPUT_MS / STEPS, () => take(steps - 1));
    };
    take(STEPS);
    void closed.then(stop);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
  });
}
