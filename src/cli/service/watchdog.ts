/** Signs of life for a service manager that watches: they stop with the event loop, and with the store. */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { ServiceManager } from "./service-manager.ts";

export interface WatchOptions {
  readonly manager: Pick<ServiceManager, "tell" | "watchdogMs">;
  readonly clock: Pick<Clock, "after">;
  /** Rejects, or never answers, where the server is of no use. */
  readonly check: () => Promise<void>;
  readonly log: Logger;
}

/** A manager that wants to hear of it more often is not worth the work. */
const SHORTEST_MS = 100;

/** The returned function ends it. Nothing is done where nobody watches. */
export function keepWatch({ manager, clock, check, log }: WatchOptions): () => void {
  const { watchdogMs } = manager;
  if (watchdogMs === null) return () => {};
  let isEnded = false;
  let isSilent = false;

  /** The next one waits for this one: a store that hangs is not asked again and again. */
  async function beat(): Promise<void> {
    try {
      await check();
      await manager.tell("WATCHDOG=1");
      isSilent = false;
    } catch (error) {
      if (!isSilent)
        log.error("the store does not answer, and the watchdog is not told that all is well", {
          reason: messageOf(error),
        });
      isSilent = true;
    }
    if (!isEnded) schedule();
  }

  let cancel = (): void => {};
  const schedule = (): void => {
    cancel = clock.after(Math.max(SHORTEST_MS, watchdogMs / 2), () => void beat(), { keepsAlive: false });
  };
  schedule();
  return () => {
    isEnded = true;
    cancel();
  };
}
