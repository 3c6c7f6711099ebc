/** Who listens for what on a connection. */
import type { Following } from "./subscriptions.ts";

type Listener<A extends unknown[], R = unknown> = (...args: A) => R;

export function createListeners() {
  const byMethod = new Map<string, Listeners<[params: unknown]>>();
  const any = createSet<[method: string, params: unknown]>();
  const following = createSet<[following: Following, caughtUp: Promise<boolean>]>();
  const end = createSet<[error: Error]>();
  let ended: Error | null = null;

  return {
    tell(method: string, params: unknown): void {
      byMethod.get(method)?.each((listener) => listener(params));
      any.each((listener) => listener(method, params));
    },
    on(method: string, listener: Listener<[params: unknown]>): () => void {
      const all = byMethod.get(method) ?? createSet<[params: unknown]>();
      byMethod.set(method, all);
      return all.add(listener);
    },
    onAny: any.add,
    onFollowing: following.add,
    /** At once, so that what begins later is not meant; `caughtUp` resolves when what was missed has been told, or cannot be. */
    tellFollowing(told: Following, caughtUp = Promise.resolve(true)): void {
      following.each((listener) => listener(told, caughtUp));
    },
    onEnd(listener: Listener<[error: Error]>): () => void {
      if (ended !== null) listener(ended);
      return end.add(listener);
    },
    tellEnd(error: Error): void {
      ended = error;
      end.each((listener) => listener(error));
    },
  };
}

interface Listeners<A extends unknown[], R = unknown> {
  /** Each call counts for itself, also with the same function. */
  add(listener: Listener<A, R>): () => void;
  /** Those that are added or removed meanwhile count the next time. */
  each(tell: (listener: Listener<A, R>) => void): void;
}

function createSet<A extends unknown[], R = unknown>(): Listeners<A, R> {
  const entries = new Set<{ readonly listener: Listener<A, R> }>();
  return {
    add(listener) {
      const entry = { listener };
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    each(tell) {
      for (const { listener } of Array.from(entries)) tell(listener);
    },
  };
}
