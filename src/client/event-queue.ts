/** An asynchronous queue of values with one reader. */
export interface EventQueue<T> {
  push(value: T): void;
  /** Values pushed before are still read. */
  end(): void;
  /** The reader receives the error once, after the values pushed before. */
  fail(error: unknown): void;
  readonly values: AsyncIterableIterator<T>;
}

/** More than any reader that keeps up leaves unread. */
const MAX_WAITING = 100_000;

export function createEventQueue<T>(maxWaiting = MAX_WAITING): EventQueue<T> {
  let waiting: T[] = [];
  let at = 0;
  let wake = (): void => {};
  let ending: { readonly error?: unknown } | null = null;

  function finish(how: { readonly error?: unknown }): void {
    ending ??= how;
    wake();
  }

  async function next(): Promise<IteratorResult<T, undefined>> {
    while (at === waiting.length) {
      if (ending !== null) {
        const { error } = ending;
        ending = {};
        if (error !== undefined) throw error as Error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const value = waiting[at++] as T;
    if (at === waiting.length) {
      waiting = [];
      at = 0;
    }
    return { done: false, value };
  }

  return {
    push(value) {
      if (ending !== null) return;
      if (waiting.length - at < maxWaiting) waiting.push(value);
      else finish({ error: new Error(`${maxWaiting} events were not read: read them as they come`) });
      wake();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    values: {
      next,
      async return() {
        finish({});
        waiting = [];
        at = 0;
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    },
  };
}
