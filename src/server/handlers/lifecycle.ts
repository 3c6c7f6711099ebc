import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { printable } from "../../base/printable.ts";
import { createSliceQueue, createTimeSlices, SHORT_SLICES } from "../../base/time-slices.ts";
import type { Engine } from "../../engine/engine.ts";
import { HOOK_EVENTS, type HookEventName } from "../../hooks/hook-event.ts";
import { eventsRead } from "../../lifecycle/adapters/adapter.ts";
import {
  ADAPTERS,
  EVENT_NAMES,
  type EventName,
  isEventName,
  LIFECYCLE_EVENTS,
} from "../../lifecycle/index.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import type { Store } from "../../store/store.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { type Handlers, invalidRequest, unwrap } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";
import { createEventDelivery } from "../lifecycle/event-delivery.ts";
import type { LifecycleSubscriptions } from "../lifecycle/lifecycle-subscriptions.ts";

export interface LifecycleHandlersOptions {
  readonly engine: Pick<Engine, "find">;
  readonly store: () => Promise<
    Pick<Store, "receipts"> & { readonly threads: Pick<Store["threads"], "read"> }
  >;
  readonly lifecycle: LifecycleSubscriptions;
  readonly notifier: Pick<Notifier, "to">;
  /** Adds a listener that is called with each connection that closes. */
  readonly onDisconnect: (listener: (connection: ClientConnection) => void) => void;
  readonly createId: () => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Events that the delivery itself emits, not a hook. */
const DELIVERY_EVENTS: readonly EventName[] = ["capability.degraded", "receipt.gap_detected"];

/** Subscriptions of a connection to the lifecycle events of a thread. */
export function createLifecycleHandlers(
  options: LifecycleHandlersOptions,
): Handlers<"lifecycle/subscribe" | "lifecycle/unsubscribe"> {
  const { engine, store, lifecycle, notifier, createId, clock } = options;
  options.onDisconnect(lifecycle.drop);
  const lane = createSliceQueue(createTimeSlices(clock.monotonic, SHORT_SLICES));
  return {
    async "lifecycle/subscribe"({ threadId: text, events: asked }, { connection, afterResponse }) {
      const events = parseEvents(asked);
      const threadId = unwrap(parseThreadId(text));
      if (!connection.accepts("lifecycle/event"))
        throw invalidRequest(
          "the connection has opted out of lifecycle/event, so it would receive no events; connect without that opt-out",
        );
      if (engine.find(threadId) === undefined) {
        const isStored = (await (await store()).threads.read(threadId)) !== null;
        const reason = isStored
          ? `not loaded: ${threadId}; load it with thread/resume`
          : `not found: ${threadId}`;
        throw invalidRequest(`thread ${reason}`);
      }
      const subscriptionId = createId();
      const delivery = createEventDelivery({
        ...options,
        subscriptionId,
        threadId,
        clientId: clientIdOf(connection),
        events,
        lane,
        ledger: async () => (await store()).receipts,
        send: (notification) => notifier.to([connection], "lifecycle/event", notification),
      });
      const subscription = { id: subscriptionId, threadId, connection, hooks: hooksOf(events), delivery };
      if (!lifecycle.add(subscription))
        throw invalidRequest(
          "the connection has too many lifecycle subscriptions; end some with lifecycle/unsubscribe",
        );
      afterResponse(delivery.begin);
      return {
        subscriptionId,
        events: [...events],
        untold: [...events].filter((event) => !isDelivered(event)),
      };
    },

    "lifecycle/unsubscribe"({ subscriptionId }, { connection }) {
      if (!lifecycle.remove(connection, subscriptionId))
        throw invalidRequest(
          `the connection has no lifecycle subscription ${quoted(subscriptionId)}; it may have ended`,
        );
      return {};
    },
  };
}

/** Returns the requested events without duplicates, in the order of the vocabulary. */
function parseEvents(asked: readonly string[] | undefined): ReadonlySet<EventName> {
  if (asked === undefined) return new Set(LIFECYCLE_EVENTS);
  const unknown = asked.find((name) => !isEventName(name));
  if (unknown !== undefined)
    throw invalidRequest(
      `there is no lifecycle event ${quoted(unknown)}; heddle lifecycle events lists them`,
    );
  if (asked.length === 0)
    throw invalidRequest("events is empty; name some, or leave it out for all lifecycle events");
  const names = new Set(asked);
  return new Set(EVENT_NAMES.filter((name) => names.has(name)));
}

function hooksOf(events: ReadonlySet<EventName>): ReadonlySet<HookEventName> {
  const rows = ADAPTERS.heddle.hooks.filter((row) => eventsRead(row).some((event) => events.has(event)));
  const names = new Set(rows.map(({ hook }) => hook));
  return new Set(HOOK_EVENTS.filter((event) => names.has(event)));
}

function isDelivered(event: EventName): boolean {
  return (
    DELIVERY_EVENTS.includes(event) || ADAPTERS.heddle.hooks.some((row) => eventsRead(row).includes(event))
  );
}

const MAX_NAME_CHARS = 128;

/** The subject of the client's token, or else its own name. It is stored with every receipt. */
function clientIdOf({ handshake, subject }: ClientConnection): string {
  const own = handshake.phase === "ready" ? handshake.clientName : "";
  const name = (subject ?? own).slice(0, MAX_NAME_CHARS);
  return name === "" ? "unnamed" : name;
}

function quoted(text: string): string {
  return JSON.stringify(printable(text.slice(0, MAX_NAME_CHARS)));
}
