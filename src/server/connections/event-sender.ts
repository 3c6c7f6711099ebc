/** Sends the durable events of loaded threads to the clients that follow them. An event is encoded once. */
import type { Clock } from "../../base/clock.ts";
import type { EventFollowers } from "../../engine/history/durable-events.ts";
import { encodeNotification } from "../../jsonrpc/message.ts";
import type { ThreadSubscriptions } from "./thread-subscriptions.ts";

export interface EventSenderOptions {
  readonly subscriptions: Pick<ThreadSubscriptions, "of">;
  readonly clock: Clock;
}

export function createEventSender({ subscriptions, clock }: EventSenderOptions): EventFollowers {
  return {
    isFollowed(threadId) {
      for (const { follows } of subscriptions.of(threadId)) if (follows !== null) return true;
      return false;
    },
    send(threadId, { method, params, seq }) {
      let text: string | null = null;
      for (const connection of subscriptions.of(threadId)) {
        const follow = connection.follows?.get(threadId);
        // The engine may notify of an event that this client was already sent from the store.
        if (follow === undefined || follow.isReplaying || seq <= follow.through) continue;
        follow.through = seq;
        if (!connection.accepts(method)) continue;
        text ??= encodeNotification(method, { ...params, seq }, clock.now());
        connection.send(text, "notice");
      }
    },
    sendUnstored(threadId, method, params) {
      let text: string | null = null;
      for (const connection of subscriptions.of(threadId)) {
        if (connection.follows?.get(threadId)?.isReplaying !== false || !connection.accepts(method)) continue;
        text ??= encodeNotification(method, params, clock.now());
        connection.send(text, "notice");
      }
    },
  };
}
