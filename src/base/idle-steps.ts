import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";

export interface IdleStepsOptions {
  readonly clock: Pick<Clock, "after">;
  readonly log: Logger;
  /** Whether no client waits for a response. */
  readonly isIdle: () => boolean;
  /** The share of the time since the last call in which the process was busy. */
  readonly busyShare: () => number;
  /** The quiet time before the first step. A busy one doubles it, because a busy server stays busy. */
  readonly quietMs: number;
}

const MAX_QUIET_MS = 2_000;
/** Turns that follow each other keep a process busier than this, and a turn that waits for its model does not. */
const QUIET_SHARE = 0.25;
/** Between two steps, so that what has arrived meanwhile is served first. */
const PAUSE_MS = 2;

export type IdleStep = () => Promise<unknown>;

/**
 * Runs steps one after the other while the server is idle: a request that arrives meanwhile waits for one step at most.
 * A step only brings forward what its first user would do, so a failed one is left to that user.
 */
export function runWhenIdle(
  steps: readonly IdleStep[],
  { clock, log, isIdle, busyShare, ...options }: IdleStepsOptions,
): { stop(): void } {
  const remaining = [...steps];
  let isStopped = false;
  let { quietMs } = options;
  let cancel = (): void => {};

  function schedule(delayMs: number, task: () => void): void {
    if (!isStopped && remaining.length > 0) cancel = clock.after(delayMs, task, { keepsAlive: false });
  }

  function waitForQuiet(): void {
    busyShare();
    schedule(quietMs, () => {
      if (isIdle() && busyShare() < QUIET_SHARE) return runStep();
      quietMs = Math.min(quietMs * 2, MAX_QUIET_MS);
      waitForQuiet();
    });
  }

  function runStep(): void {
    const step = remaining.shift();
    if (step === undefined) return;
    void step()
      .catch((error: unknown) => logFailedStep(log, error))
      .then(() => schedule(PAUSE_MS, () => (isIdle() ? runStep() : waitForQuiet())));
  }

  waitForQuiet();
  return {
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

/** After this time, a step that is needed soon no longer waits for idleness. */
const MAX_WAIT_MS = 100;

/** Runs one step as soon as no client waits for a response. */
export function runOnceIdle(
  step: IdleStep,
  { clock, log, isIdle }: Pick<IdleStepsOptions, "clock" | "log" | "isIdle">,
): { stop(): void } {
  let waitedMs = 0;
  let isStopped = false;
  let cancel = (): void => {};

  function run(): void {
    if (!isStopped) void step().catch((error: unknown) => logFailedStep(log, error));
  }

  function look(): void {
    // The last response is written in this turn of the event loop, so the step runs in the next one.
    if (isIdle() || waitedMs >= MAX_WAIT_MS) return void setImmediate(run);
    waitedMs += PAUSE_MS;
    cancel = clock.after(PAUSE_MS, look, { keepsAlive: false });
  }

  setImmediate(look);
  return {
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

function logFailedStep(log: Logger, error: unknown): void {
  log.debug("loading in advance failed", { error: String(error) });
}
