import type { Logger } from "./logger.ts";

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

/** A promise with its two ends apart; `Promise.withResolvers` arrives only with Node 22. */
export function createDeferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** Something that is made when it is first asked for, and then kept. What could not be made is tried anew. */
export interface Once<T> {
  readonly get: () => Promise<T>;
  /** What was made; null when nobody has asked yet, or when it could not be made. */
  readonly made: () => Promise<T | null>;
}

export function once<T>(make: () => Promise<T>): Once<T> {
  let kept: Promise<T> | null = null;
  return {
    get() {
      kept ??= make().catch((error: unknown) => {
        kept = null;
        throw error;
      });
      return kept;
    },
    made: () => Promise.resolve(kept).catch(() => null),
  };
}

/** A look whose answer holds for all that runs without a pause: in between, nobody else was heard of. */
export interface TickLook<T> {
  readonly get: () => T;
  /** Looks anew, for whoever has just changed it. */
  readonly renew: () => T;
}

export function oncePerTick<T>(look: () => T): TickLook<T> {
  let found: { readonly value: T } | null = null;
  const forget = (): void => {
    found = null;
  };
  function renew(): T {
    if (found === null) process.nextTick(forget);
    found = { value: look() };
    return found.value;
  }
  return { get: () => (found === null ? renew() : found.value), renew };
}

/** For work that nobody waits for: should it fail, the log says so. A rejection that nobody hears ends the process. */
export function inBackground(log: Logger, what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => logFailure(log, what, error));
}

/** Says that something failed of which nobody else will hear. */
export function logFailure(log: Logger, what: string, error: unknown): void {
  log.error(`${what} failed`, { error: error instanceof Error ? error.stack : String(error) });
}

/** Closes one after the other, also when one before could not be closed; the first error is thrown at the end. */
export async function closeAll(steps: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
