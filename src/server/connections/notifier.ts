import type { Clock } from "../../base/clock.ts";
import { encodeNotification } from "../../jsonrpc/message.ts";
import { type NotificationRow, notificationRows } from "../../protocol/generated/table.ts";
import type { ServerNotifications } from "../../protocol/generated/types.ts";
import { type EncodedNotice, type LegacyGeneration } from "../legacy/legacy-generation.ts";
import { type Connection, mayKnow, speaksLegacy } from "./connection.ts";
import type { Subscriptions } from "./subscriptions.ts";

export type NotificationMethod = keyof ServerNotifications;

/** Tells clients what happened. A notification is made into text once for each generation, whoever receives it. */
export interface Notifier {
  toAll<M extends NotificationMethod>(method: M, params: ServerNotifications[M]): void;
  to<M extends NotificationMethod>(
    connections: Iterable<Connection>,
    method: M,
    params: ServerNotifications[M],
  ): void;
  /** To the audience that the row of the notification declares: the subscribers of the thread, or everybody. */
  ofThread<M extends NotificationMethod>(threadId: string, method: M, params: ServerNotifications[M]): void;
}

export interface NotifierOptions {
  readonly connections: () => Iterable<Connection>;
  readonly subscriptions: Pick<Subscriptions, "of" | "ofFamily">;
  readonly clock: Clock;
  readonly legacy: LegacyGeneration;
}

export function createNotifier({ connections, subscriptions, clock, legacy }: NotifierOptions): Notifier {
  const notifier: Notifier = {
    toAll: (method, params) => notifier.to(connections(), method, params),
    ofThread(threadId, method, params) {
      send(receiversOf(threadId, notificationRows[method].audience), method, params, threadId);
    },
    to: (receivers, method, params) => send(receivers, method, params, null),
  };

  function receiversOf(threadId: string, audience: NotificationRow["audience"]): Iterable<Connection> {
    if (audience === "all") return connections();
    return audience === "family" ? subscriptions.ofFamily(threadId) : subscriptions.of(threadId);
  }

  /** The thread that it comes from, which not every notification names. */
  function send<M extends NotificationMethod>(
    receivers: Iterable<Connection>,
    method: M,
    params: ServerNotifications[M],
    threadId: string | null,
  ): void {
    legacy.observe(method, params);
    const isSpared = notificationRows[method].isRepeatedLater === true;
    let text: string | null = null;
    let events: readonly EncodedNotice[] | null = null;
    for (const connection of receivers) {
      if (isSpared && connection.backlog.isBehind()) continue;
      if (speaksLegacy(connection) && mayKnow(connection, method)) {
        events ??= legacy.events(method, params, threadId);
        sendAll(connection, events);
      }
      if (!connection.wants(method)) continue;
      text ??= encodeNotification(method, params, clock.now());
      connection.send(text, "notice");
    }
  }
  return notifier;
}

function sendAll(connection: Connection, notices: readonly EncodedNotice[]): void {
  for (const { method, text } of notices) if (connection.wants(method)) connection.send(text, "notice");
}
