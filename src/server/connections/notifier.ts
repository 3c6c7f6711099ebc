import type { Clock } from "../../base/clock.ts";
import { type NotificationRow, notificationRows } from "../../protocol/generated/table.ts";
import type { ServerNotifications } from "../../protocol/generated/types.ts";
import type { NotificationMethod } from "../legacy/legacy-event.ts";
import { type EncodedNotice, type LegacyGeneration } from "../legacy/legacy-generation.ts";
import { type ClientConnection, canReceive, isExperimental, speaksLegacy } from "./client-connection.ts";
import { createNoticeEncoder } from "./encode-notice.ts";
import { mayReceive } from "./own-notices.ts";
import type { ThreadSubscriptions } from "./thread-subscriptions.ts";

/** Sends notifications to clients. A notification is encoded once per protocol generation, not once per client. */
export interface Notifier {
  toAll<M extends NotificationMethod>(method: M, params: ServerNotifications[M]): void;
  to<M extends NotificationMethod>(
    connections: Iterable<ClientConnection>,
    method: M,
    params: ServerNotifications[M],
  ): void;
  /** Sends to the audience in the notification's row: subscribers of the thread, of its family, or all clients. */
  ofThread<M extends NotificationMethod>(threadId: string, method: M, params: ServerNotifications[M]): void;
}

export interface NotifierOptions {
  readonly connections: () => Iterable<ClientConnection>;
  readonly subscriptions: Pick<ThreadSubscriptions, "of" | "ofFamily">;
  readonly clock: Clock;
  readonly legacy: LegacyGeneration;
}

export function createNotifier({ connections, subscriptions, clock, legacy }: NotifierOptions): Notifier {
  const encode = createNoticeEncoder();
  const notifier: Notifier = {
    toAll: (method, params) => notifier.to(connections(), method, params),
    ofThread(threadId, method, params) {
      legacy.observe(method, params);
      send(receiversOf(threadId, notificationRows[method].audience), method, params, threadId);
    },
    to(receivers, method, params) {
      legacy.observe(method, params);
      send(receivers, method, params, null);
    },
  };

  function receiversOf(threadId: string, audience: NotificationRow["audience"]): Iterable<ClientConnection> {
    if (audience === "all") return connections();
    return audience === "family" ? subscriptions.ofFamily(threadId) : subscriptions.of(threadId);
  }

  /** Not in the loop of `send`: a closure there would cost every notification an allocation for each receiver. */
  function isOwn<M extends NotificationMethod>(
    connection: ClientConnection,
    method: M,
    params: ServerNotifications[M],
    threadId: string | null,
  ): boolean {
    const retry = (): void => send([connection], method, params, threadId);
    return connection.own === null || mayReceive(connection.own, params, retry);
  }

  /** `threadId` is passed separately, because not every notification has it in its params. */
  function send<M extends NotificationMethod>(
    receivers: Iterable<ClientConnection>,
    method: M,
    params: ServerNotifications[M],
    threadId: string | null,
  ): void {
    const row: NotificationRow = notificationRows[method];
    const canSkip = row.isRepeatedLater === true;
    const isGated = isExperimentalReason(row, params);
    let text: string | null = null;
    let events: readonly EncodedNotice[] | null = null;
    for (const connection of receivers) {
      if (connection.own !== null && !isOwn(connection, method, params, threadId)) continue;
      if (canSkip && connection.backlog.isBehind()) continue;
      if (isGated && !isExperimental(connection)) continue;
      if (speaksLegacy(connection) && canReceive(connection, method)) {
        events ??= legacy.events(method, params, threadId);
        sendAll(connection, events);
      }
      if (connection.follows !== null && isSkipped(connection.follows, threadId, method)) continue;
      if (!connection.accepts(method)) continue;
      text ??= encode(method, params, clock.now());
      connection.send(text, "notice");
    }
  }
  return notifier;
}

/** Durable events of a followed thread are sent by its stream, and nothing but stored events during a replay. */
function isSkipped(
  follows: NonNullable<ClientConnection["follows"]>,
  threadId: string | null,
  method: NotificationMethod,
): boolean {
  const follow = threadId === null ? undefined : follows.get(threadId);
  if (follow === undefined) return false;
  follow.sentMeanwhile?.add(method);
  return follow.isReplaying || notificationRows[method].isDurable === true;
}

function isExperimentalReason({ experimentalReason }: NotificationRow, params: object): boolean {
  return experimentalReason !== undefined && (params as { reason?: unknown }).reason === experimentalReason;
}

function sendAll(connection: ClientConnection, notices: readonly EncodedNotice[]): void {
  for (const { method, text } of notices) if (connection.accepts(method)) connection.send(text, "notice");
}
