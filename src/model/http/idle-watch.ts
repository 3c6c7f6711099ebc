import type { Clock } from "../../base/clock.ts";

/** Notices when something that is waited for stays away too long. One timer, however often it is touched. */
export interface IdleWatch {
  /** It came. */
  touch(): void;
  /** Time does not count until `resume`, because it is us who are busy. */
  pause(): void;
  resume(): void;
  stop(): void;
}

export function createIdleWatch(clock: Clock, limitMs: number, onIdle: () => void): IdleWatch {
  let idleMs = 0;
  let since = clock.monotonic();
  let paused = false;
  let cancel = clock.after(limitMs, check);

  function elapsed(): number {
    return paused ? idleMs : idleMs + clock.monotonic() - since;
  }

  function check(): void {
    const left = limitMs - elapsed();
    if (left <= 0) onIdle();
    else cancel = clock.after(left, check);
  }

  return {
    touch() {
      idleMs = 0;
      since = clock.monotonic();
    },
    pause() {
      idleMs = elapsed();
      paused = true;
    },
    resume() {
      since = clock.monotonic();
      paused = false;
    },
    stop: () => cancel(),
  };
}
