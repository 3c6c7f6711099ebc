/** Which connections hear of the neutral events of which threads. */
import type { Clock } from "../../base/clock.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { HookObserver } from "../../engine/hooks/observer.ts";
import type { HookEventName } from "../../hooks/hook-event.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import type { EventDelivery } from "./event-delivery.ts";

export interface LifecycleSubscription {
  readonly id: string;
  readonly threadId: string;
  readonly connection: ClientConnection;
  /** The hooks that tell of the events that were asked for. */
  readonly hooks: ReadonlySet<HookEventName>;
  readonly delivery: EventDelivery;
}

export interface LifecycleSubscriptions {
  /** False when the connection has too many. */
  add(subscription: LifecycleSubscription): boolean;
  /** False when the connection has no such subscription. */
  remove(connection: ClientConnection, id: string): boolean;
  /** Forgets a connection that has gone. */
  drop(connection: ClientConnection): void;
  /** Forgets a thread that is not loaded any more; what has happened in it is still told. */
  forget(threadId: string): void;
  /** What the engine tells of a thread's events. */
  observerOf(threadId: string): HookObserver;
  /** Resolves when everything that has happened is told, or has had its time. */
  settled(): Promise<void>;
}

/** How many subscriptions one connection may have. */
export const MAX_SUBSCRIPTIONS_PER_CONNECTION = 256;

/** How long a server that ends waits for its last events to be told. */
const LAST_EVENTS_MS = 2000;

export function createLifecycleSubscriptions(
  clock: Pick<Clock, "after">,
  mostOfOne = MAX_SUBSCRIPTIONS_PER_CONNECTION,
): LifecycleSubscriptions {
  const byThread = new Map<string, Set<LifecycleSubscription>>();
  const byConnection = new Map<ClientConnection, Map<string, LifecycleSubscription>>();
  /** Those of threads that are gone, until all is told. */
  const finishing = new Set<Promise<void>>();

  function remove(subscription: LifecycleSubscription): void {
    const { id, threadId, connection } = subscription;
    const ofThread = byThread.get(threadId);
    ofThread?.delete(subscription);
    if (ofThread?.size === 0) byThread.delete(threadId);
    const ofConnection = byConnection.get(connection);
    ofConnection?.delete(id);
    if (ofConnection?.size === 0) byConnection.delete(connection);
  }

  return {
    add(subscription) {
      const { id, threadId, connection } = subscription;
      const ofConnection = byConnection.get(connection) ?? new Map<string, LifecycleSubscription>();
      if (ofConnection.size >= mostOfOne) return false;
      byConnection.set(connection, ofConnection.set(id, subscription));
      byThread.set(threadId, (byThread.get(threadId) ?? new Set()).add(subscription));
      return true;
    },
    remove(connection, id) {
      const subscription = byConnection.get(connection)?.get(id);
      if (subscription === undefined) return false;
      remove(subscription);
      subscription.delivery.end();
      return true;
    },
    drop(connection) {
      for (const subscription of byConnection.get(connection)?.values() ?? []) {
        remove(subscription);
        subscription.delivery.end();
      }
    },
    forget(threadId) {
      for (const subscription of byThread.get(threadId) ?? []) {
        remove(subscription);
        const told = subscription.delivery.settled().finally(() => finishing.delete(told));
        finishing.add(told);
      }
    },
    observerOf: (threadId) => ({
      wants(event) {
        for (const { hooks } of byThread.get(threadId) ?? []) if (hooks.has(event)) return true;
        return false;
      },
      notify(input) {
        const event = input["hook_event_name"] as HookEventName;
        for (const { hooks, delivery } of byThread.get(threadId) ?? [])
          if (hooks.has(event)) delivery.take(input);
      },
    }),
    async settled() {
      const open = [...byThread.values()].flatMap((subscriptions) => [...subscriptions]);
      const told = Promise.all([...finishing, ...open.map(({ delivery }) => delivery.settled())]);
      const late = createDeferred<void>();
      const cancel = clock.after(LAST_EVENTS_MS, () => late.resolve());
      await Promise.race([told, late.promise]);
      cancel();
    },
  };
}
