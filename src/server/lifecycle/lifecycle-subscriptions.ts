/** Subscriptions of connections to lifecycle events of threads. */
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
  /** The hooks from which the subscribed events are derived. */
  readonly hooks: ReadonlySet<HookEventName>;
  readonly delivery: EventDelivery;
}

export interface LifecycleSubscriptions {
  /** False if the connection has too many. */
  add(subscription: LifecycleSubscription): boolean;
  /** False if the connection has no such subscription. */
  remove(connection: ClientConnection, id: string): boolean;
  /** Ends the subscriptions of a closed connection. */
  drop(connection: ClientConnection): void;
  /** Ends the subscriptions of an unloaded thread; queued events are still delivered. */
  forget(threadId: string): void;
  /** Receives the hook inputs of a thread from the engine. */
  observerOf(threadId: string): HookObserver;
  /** Resolves when all queued events are delivered, or after a timeout. */
  drained(): Promise<void>;
}

/** Subscriptions per connection. */
export const MAX_SUBSCRIPTIONS_PER_CONNECTION = 256;

/** The timeout for queued events when the server closes. */
const LAST_EVENTS_MS = 2000;

export function createLifecycleSubscriptions(
  clock: Pick<Clock, "after">,
  maxPerConnection = MAX_SUBSCRIPTIONS_PER_CONNECTION,
): LifecycleSubscriptions {
  const byThread = new Map<string, Set<LifecycleSubscription>>();
  const byConnection = new Map<ClientConnection, Map<string, LifecycleSubscription>>();
  /** Deliveries of unloaded threads that are still sending queued events. */
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
      if (ofConnection.size >= maxPerConnection) return false;
      byConnection.set(connection, ofConnection.set(id, subscription));
      byThread.set(threadId, (byThread.get(threadId) ?? new Set()).add(subscription));
      return true;
    },
    remove(connection, id) {
      const subscription = byConnection.get(connection)?.get(id);
      if (subscription === undefined) return false;
      remove(subscription);
      subscription.delivery.stop();
      return true;
    },
    drop(connection) {
      for (const subscription of byConnection.get(connection)?.values() ?? []) {
        remove(subscription);
        subscription.delivery.stop();
      }
    },
    forget(threadId) {
      for (const subscription of byThread.get(threadId) ?? []) {
        remove(subscription);
        const draining = subscription.delivery.drained().finally(() => finishing.delete(draining));
        finishing.add(draining);
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
          if (hooks.has(event)) delivery.enqueue(input);
      },
    }),
    async drained() {
      const open = [...byThread.values()].flatMap((subscriptions) => [...subscriptions]);
      const told = Promise.all([...finishing, ...open.map(({ delivery }) => delivery.drained())]);
      const late = createDeferred<void>();
      const cancel = clock.after(LAST_EVENTS_MS, () => late.resolve());
      await Promise.race([told, late.promise]);
      cancel();
    },
  };
}
