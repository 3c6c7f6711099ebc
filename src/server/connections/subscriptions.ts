import type { Connection } from "./connection.ts";

/** Which connections hear everything about which thread. */
export interface Subscriptions {
  add(threadId: string, connection: Connection): void;
  /** False when there was no such subscription. */
  remove(threadId: string, connection: Connection): boolean;
  /** Forgets a connection that has gone. */
  drop(connection: Connection): void;
  of(threadId: string): ReadonlySet<Connection>;
  /** The thread itself and those that spawned it. */
  familyOf(threadId: string): readonly string[];
  /** The subscribers of all of them: often nobody follows a spawned thread itself. */
  ofFamily(threadId: string): ReadonlySet<Connection>;
}

export interface SubscriptionsOptions {
  /** Called with each thread whose subscribers have changed. */
  readonly onChange?: (threadId: string) => void;
  /** The threads that spawned a thread. */
  readonly ancestorsOf?: (threadId: string) => readonly string[];
}

const NOBODY: ReadonlySet<Connection> = new Set();

export function createSubscriptions({
  onChange = () => {},
  ancestorsOf = () => [],
}: SubscriptionsOptions = {}): Subscriptions {
  const byThread = new Map<string, Set<Connection>>();

  const familyOf = (threadId: string) => [threadId, ...ancestorsOf(threadId)];
  const subscribersOf = (threadId: string) => byThread.get(threadId) ?? NOBODY;

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
    of: subscribersOf,
    familyOf,
    ofFamily(threadId) {
      const family = familyOf(threadId);
      if (family.length === 1) return subscribersOf(threadId);
      return new Set(family.flatMap((id) => [...subscribersOf(id)]));
    },
  };
}
