import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";

export interface IdleStepsOptions {
  readonly clock: Pick<Clock, "after">;
  readonly log: Logger;
  /** Whether no work is under way. */
  readonly isIdle: () => boolean;
}

/** The time after which the first step runs. Each look that finds work doubles it, because a busy server stays busy. */
const QUIET_MS = 20;
const MAX_QUIET_MS = 2_000;
/** Between two steps, so that what has arrived meanwhile is served first. */
const PAUSE_MS = 2;

export type IdleStep = () => Promise<unknown>;

/**
 * Runs steps one after the other while the server is idle: a request that arrives meanwhile waits for one step at most.
 * A step only brings forward what its first user would do, so a failed one is left to that user.
 */
export function runWhenIdle(
  steps: readonly IdleStep[],
  { clock, log, isIdle }: IdleStepsOptions,
): { stop(): void } {
  const remaining = [...steps];
  let isStopped = false;
  let quietMs = QUIET_MS;
  let cancel = (): void => {};

  function wait(delayMs: number): void {
    if (!isStopped && remaining.length > 0) cancel = clock.after(delayMs, next, { keepsAlive: false });
  }

  function next(): void {
    if (!isIdle()) {
      quietMs = Math.min(quietMs * 2, MAX_QUIET_MS);
      return wait(quietMs);
    }
    const step = remaining.shift();
    if (step === undefined) return;
    void step()
      .catch((error: unknown) => logFailedStep(log, error))
      .then(() => wait(PAUSE_MS));
  }

  wait(quietMs);
  return {
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

export function logFailedStep(log: Logger, error: unknown): void {
  log.debug("loading in advance failed", { error: String(error) });
}
