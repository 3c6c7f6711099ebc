// The queues of all threads.

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import {
  listQueues,
  type QueueOverviewOptions,
  readQueueOverview,
} from "../../runtime/queue/queue-overview.ts";
import type { TurnQueue } from "../../runtime/queue/turn-queue.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { createCoalescedNotices } from "../connections/coalesced-notices.ts";
import { type Handlers, invalidRequest } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";

export interface QueueOverviewHandlersOptions extends QueueOverviewOptions {
  readonly notifier: Pick<Notifier, "to">;
  readonly onDisconnect: (listener: (connection: ClientConnection) => void) => void;
  readonly onQueueChange: (listener: (threadId: string) => void) => () => void;
  /** Opens the queue, which watches for changes of other processes from then on. */
  readonly queue: () => Promise<TurnQueue>;
  readonly clock: Clock;
  readonly log: Logger;
}

const PAGE = 25;
const MAX_PAGE = 100;
const ROWS = 3;
const MAX_ROWS = 10;
const MAX_CURSOR = 64;

export function createQueueOverviewHandlers(options: QueueOverviewHandlersOptions): Handlers<"queue/list"> {
  const { notifier, onDisconnect, onQueueChange, clock, log } = options;
  const followers = createCoalescedNotices({
    clock,
    log,
    read: (threadId) => readQueueOverview(options, threadId, ROWS),
    send: (connections, queue) => notifier.to(connections, "queue/changed", { queue }),
    observe: onQueueChange,
  });
  onDisconnect(followers.remove);
  return {
    async "queue/list"({ cursor, limit, rows, subscribe }, { connection }) {
      if (cursor != null && cursor.length > MAX_CURSOR) throw invalidRequest("invalid cursor");
      // Before the list is read, so that no change is missed in between.
      if (subscribe === true) {
        await options.queue();
        followers.add(connection);
      }
      if (subscribe === false) followers.remove(connection);
      const { data, nextCursor } = await listQueues(options, {
        after: cursor ?? null,
        limit: Math.min(MAX_PAGE, Math.max(1, limit ?? PAGE)),
        rows: Math.min(MAX_ROWS, rows ?? ROWS),
        mayRead: connection.own?.has ?? null,
      });
      return { data: [...data], nextCursor };
    },
  };
}
