import type { EventToken } from "../../store/event-token.ts";
import type { ClientConnection } from "./client-connection.ts";
import { BEFORE_ALL } from "./thread-follow.ts";

/** The connections that receive the notifications of each thread. */
export interface ThreadSubscriptions {
  /** A client with resumable events follows the thread from now on, unless it already does. */
  add(threadId: string, connection: ClientConnection): void;
  /** False if there was no such subscription. */
  remove(threadId: string, connection: ClientConnection): boolean;
  /** Removes all subscriptions of a closed connection. */
  drop(connection: ClientConnection): void;
  of(threadId: string): ReadonlySet<ClientConnection>;
  /** The thread itself and its ancestors. */
  familyOf(threadId: string): readonly string[];
  /** The subscribers of the thread and of its ancestors, because a spawned thread often has no subscriber of its own. */
  ofFamily(threadId: string): ReadonlySet<ClientConnection>;
}

export interface ThreadSubscriptionsOptions {
  /** Called with the id of each thread whose subscribers have changed. */
  readonly onChange?: (threadId: string) => void;
  /** The place after the last durable event of a loaded thread; null if it has none. */
  readonly eventsEnd?: (threadId: string) => EventToken | null;
  /** The threads that spawned a thread. */
  readonly ancestorThreadIds?: (threadId: string) => readonly string[];
}

const NO_SUBSCRIBERS: ReadonlySet<ClientConnection> = new Set();

export function createThreadSubscriptions({
  onChange = () => {},
  eventsEnd = () => null,
  ancestorThreadIds = () => [],
}: ThreadSubscriptionsOptions = {}): ThreadSubscriptions {
  const byThread = new Map<string, Set<ClientConnection>>();

  const familyOf = (threadId: string) => [threadId, ...ancestorThreadIds(threadId)];
  const subscribersOf = (threadId: string) => byThread.get(threadId) ?? NO_SUBSCRIBERS;

  function remove(threadId: string, connection: ClientConnection): boolean {
    const subscribers = byThread.get(threadId);
    const removed = subscribers?.delete(connection) ?? false;
    connection.follows?.delete(threadId);
    if (subscribers?.size === 0) byThread.delete(threadId);
    if (removed) onChange(threadId);
    return removed;
  }

  return {
    add(threadId, connection) {
      const subscribers = byThread.get(threadId) ?? new Set();
      byThread.set(threadId, subscribers.add(connection));
      if (connection.follows !== null && !connection.follows.has(threadId)) {
        const through = eventsEnd(threadId) ?? BEFORE_ALL;
        connection.follows.set(threadId, { through, isReplaying: false, sentMeanwhile: null });
      }
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
