/** The listeners of a connection. */
import type { Following } from "./subscriptions.ts";

type Listener<A extends unknown[], R = unknown> = (...args: A) => R;

export function createListeners() {
  const byMethod = new Map<string, Listeners<[params: unknown]>>();
  const any = createSet<[method: string, params: unknown]>();
  const followers = createSet<[following: Following, caughtUp: Promise<boolean>]>();
  const end = createSet<[error: Error]>();
  let ended: Error | null = null;

  return {
    emit(method: string, params: unknown): void {
      byMethod.get(method)?.each((listener) => listener(params));
      any.each((listener) => listener(method, params));
    },
    on(method: string, listener: Listener<[params: unknown]>): () => void {
      const all = byMethod.get(method) ?? createSet<[params: unknown]>();
      byMethod.set(method, all);
      return all.add(listener);
    },
    onAny: any.add,
    onFollowing: followers.add,
    /**
     * Called synchronously, so that later turns are excluded; `caughtUp` resolves when missed events have
     * been replayed, or cannot be.
     */
    notifyFollowing(following: Following, caughtUp = Promise.resolve(true)): void {
      followers.each((listener) => listener(following, caughtUp));
    },
    onEnd(listener: Listener<[error: Error]>): () => void {
      if (ended !== null) listener(ended);
      return end.add(listener);
    },
    notifyEnd(error: Error): void {
      ended = error;
      end.each((listener) => listener(error));
    },
  };
}

interface Listeners<A extends unknown[], R = unknown> {
  /** Each call is a separate subscription, also with the same function. */
  add(listener: Listener<A, R>): () => void;
  /** Listeners added or removed during the call take effect the next time. */
  each(call: (listener: Listener<A, R>) => void): void;
}

function createSet<A extends unknown[], R = unknown>(): Listeners<A, R> {
  const entries = new Set<{ readonly listener: Listener<A, R> }>();
  return {
    add(listener) {
      const entry = { listener };
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    each(call) {
      for (const { listener } of Array.from(entries)) call(listener);
    },
  };
}
