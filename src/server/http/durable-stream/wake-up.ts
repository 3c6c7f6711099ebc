import type { Clock } from "../../../base/clock.ts";

export interface WakeUp {
  notify(): void;
  /** Resolves at a notification, also at one since the last wait, after the delay, or when the signal is aborted. */
  wait(delayMs: number): Promise<void>;
}

export function createWakeUp(clock: Pick<Clock, "after">, signal: AbortSignal): WakeUp {
  let isNotified = false;
  let wake = (): void => {};
  return {
    notify() {
      isNotified = true;
      wake();
    },
    async wait(delayMs) {
      if (!isNotified && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(delayMs, resolve, { keepsAlive: false });
          wake = () => {
            cancel();
            resolve();
          };
          signal.addEventListener("abort", wake, { once: true });
        });
        signal.removeEventListener("abort", wake);
        wake = () => {};
      }
      isNotified = false;
    },
  };
}
