import type { Clock } from "../base/clock.ts";
import { encodeNotification } from "../jsonrpc/message.ts";
import type { ServerNotifications } from "../protocol/generated/types.ts";
import type { Connection } from "./connection.ts";

export type NotificationMethod = keyof ServerNotifications;

/** Tells clients what happened. A notification is made into text once, whoever receives it. */
export interface Notifier {
  toAll<M extends NotificationMethod>(method: M, params: ServerNotifications[M]): void;
  to<M extends NotificationMethod>(
    connections: Iterable<Connection>,
    method: M,
    params: ServerNotifications[M],
  ): void;
}

export function createNotifier(connections: () => Iterable<Connection>, clock: Clock): Notifier {
  const notifier: Notifier = {
    toAll: (method, params) => notifier.to(connections(), method, params),
    to(receivers, method, params) {
      let text: string | null = null;
      for (const connection of receivers) {
        if (!connection.wants(method)) continue;
        text ??= encodeNotification(method, params, clock.now());
        connection.send(text, "notice");
      }
    },
  };
  return notifier;
}
