/** A value, or a promise of one that is not there yet. On a hot path, a value saves the promise and its tick. */
export type Awaitable<T> = T | Promise<T>;

/** Continues with the value, in the same tick if it is there. */
export function whenReady<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
