import type { Logger } from "./logger.ts";

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

/** A promise with its resolvers; `Promise.withResolvers` requires Node 22. */
export function createDeferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** A lazily created, cached value. A failed creation is retried on the next `get`. */
export interface Once<T> {
  readonly get: () => Promise<T>;
  /** The value if it was requested before; null otherwise, or if its creation failed. */
  readonly peek: () => Promise<T | null>;
}

export function once<T>(create: () => Promise<T>): Once<T> {
  let cached: Promise<T> | null = null;
  return {
    get() {
      cached ??= create().catch((error: unknown) => {
        cached = null;
        throw error;
      });
      return cached;
    },
    peek: () => Promise.resolve(cached).catch(() => null),
  };
}

/** A value that is cached for a short time. */
export interface BriefCache<T> {
  readonly get: () => T;
  /** Recomputes the value, for callers that have just changed it. */
  readonly refresh: () => T;
}

/** Cached until the next tick: synchronous code in between cannot observe outside changes. */
export function oncePerTick<T>(compute: () => T): BriefCache<T> {
  return cacheBriefly(compute, (clear) => process.nextTick(clear));
}

/**
 * Cached until the event loop turns: no event that arrives after an outside change gets a value from before it. The
 * events that have arrived together, such as the responses of many threads, share the value.
 */
export function oncePerLoopTurn<T>(compute: () => T): BriefCache<T> {
  return cacheBriefly(compute, setImmediate);
}

function cacheBriefly<T>(compute: () => T, clearLater: (clear: () => void) => void): BriefCache<T> {
  let cachedValue: { readonly value: T } | null = null;
  const clear = (): void => {
    cachedValue = null;
  };
  function refresh(): T {
    if (cachedValue === null) clearLater(clear);
    cachedValue = { value: compute() };
    return cachedValue.value;
  }
  return { get: () => (cachedValue === null ? refresh() : cachedValue.value), refresh };
}

/** Logs the rejection of a promise that is not awaited: an unhandled rejection would end the process. */
export function inBackground(log: Logger, what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => logFailure(log, what, error));
}

/** Logs a failure that is reported nowhere else. */
export function logFailure(log: Logger, what: string, error: unknown): void {
  log.error(`${what} failed`, { error: error instanceof Error ? error.stack : String(error) });
}

/** Runs all steps in order even if some fail, and then throws the first error. */
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
