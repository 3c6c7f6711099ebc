import type { Connection } from "./connection.ts";

/** Which connections hear everything about which thread. */
export interface Subscriptions {
  add(threadId: string, connection: Connection): void;
  /** False when there was no such subscription. */
  remove(threadId: string, connection: Connection): boolean;
  /** Forgets a connection that has gone. */
  drop(connection: Connection): void;
  of(threadId: string): ReadonlySet<Connection>;
}

const NOBODY: ReadonlySet<Connection> = new Set();

/** `onChange` hears of each thread whose subscribers have changed. */
export function createSubscriptions(onChange: (threadId: string) => void = () => {}): Subscriptions {
  const byThread = new Map<string, Set<Connection>>();

  function remove(threadId: string, connection: Connection): boolean {
    const subscribers = byThread.get(threadId);
    const removed = subscribers?.delete(connection) ?? false;
    if (subscribers?.size === 0) byThread.delete(threadId);
    if (removed) onChange(threadId);
    return removed;
  }

  return {
    add(threadId, connection) {
      const subscribers = byThread.get(threadId) ?? new Set();
      byThread.set(threadId, subscribers.add(connection));
      onChange(threadId);
    },
    remove,
    drop(connection) {
      for (const threadId of byThread.keys()) remove(threadId, connection);
    },
    of: (threadId) => byThread.get(threadId) ?? NOBODY,
  };
}
