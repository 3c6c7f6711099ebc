import type { Logger } from "./logger.ts";

/** For work that nobody waits for: should it fail, the log says so. A rejection that nobody hears ends the process. */
export function inBackground(log: Logger, what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => logFailure(log, what, error));
}

/** Says that something failed of which nobody else will hear. */
export function logFailure(log: Logger, what: string, error: unknown): void {
  log.error(`${what} failed`, { error: error instanceof Error ? error.stack : String(error) });
}
