/** Pings the watchdog of a service manager. The pings stop when the event loop or the store hangs. */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { ServiceManager } from "./service-manager.ts";

export interface WatchdogOptions {
  readonly manager: Pick<ServiceManager, "notify" | "watchdogMs">;
  readonly clock: Pick<Clock, "after">;
  /** Rejects or never resolves where the server is unusable. */
  readonly check: () => Promise<void>;
  readonly log: Logger;
}

/** The minimum interval; a shorter watchdog timeout is not honoured. */
const MIN_INTERVAL_MS = 100;

/** Starts the pings; returns the function that stops them. Does nothing without a watchdog. */
export function startWatchdog({ manager, clock, check, log }: WatchdogOptions): () => void {
  const { watchdogMs } = manager;
  if (watchdogMs === null) return () => {};
  let isEnded = false;
  let isSuspended = false;

  /** The next ping is scheduled after this one, so that checks of a hanging store do not pile up. */
  async function ping(): Promise<void> {
    try {
      await check();
      await manager.notify("WATCHDOG=1");
      isSuspended = false;
    } catch (error) {
      if (!isSuspended)
        log.error("the store does not answer; watchdog pings are suspended", {
          reason: messageOf(error),
        });
      isSuspended = true;
    }
    if (!isEnded) schedule();
  }

  let cancel = (): void => {};
  const schedule = (): void => {
    cancel = clock.after(Math.max(MIN_INTERVAL_MS, watchdogMs / 2), () => void ping(), { keepsAlive: false });
  };
  schedule();
  return () => {
    isEnded = true;
    cancel();
  };
}
