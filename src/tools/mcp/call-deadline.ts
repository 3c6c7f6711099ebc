import type { Clock } from "../../base/clock.ts";

/** A time limit that stands still while somebody else is waited for. */
export interface CallDeadline {
  pause(): void;
  resume(): void;
  stop(): void;
}

export function startDeadline(clock: Clock, limitMs: number, onPassed: () => void): CallDeadline {
  let left = limitMs;
  let pauses = 0;
  let stopped = false;
  let since = clock.monotonic();
  let cancel = clock.after(left, onPassed);
  return {
    pause() {
      pauses += 1;
      if (pauses > 1) return;
      cancel();
      left = Math.max(0, left - (clock.monotonic() - since));
    },
    resume() {
      pauses -= 1;
      if (pauses > 0 || stopped) return;
      since = clock.monotonic();
      cancel = clock.after(left, onPassed);
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
