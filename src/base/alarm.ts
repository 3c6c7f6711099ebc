import type { Clock } from "./clock.ts";

export interface Alarm {
  /** Replaces the time; `Infinity` for none. */
  set(timeMs: number): void;
  stop(): void;
}

/**
 * One timer for a wall clock time, which does not keep the process alive. The wall clock may be set and timers do not
 * advance while a machine sleeps, so it fires at least every `recheckMs`, to read the clock again.
 */
export function createAlarm(
  clock: Clock,
  { recheckMs, onTime }: { readonly recheckMs: number; readonly onTime: () => void },
): Alarm {
  let stop = (): void => {};
  return {
    set(timeMs) {
      stop();
      const delayMs = Math.min(recheckMs, Math.max(0, timeMs - clock.now()));
      stop = clock.after(delayMs, onTime, { keepsAlive: false });
    },
    stop: () => stop(),
  };
}
