// The queues of all threads. The peer has no such methods.

import { AuditEntry } from "./audit.ts";
import { QueuedTurn, QueueHold } from "./queue.ts";
import { free, notification, request } from "./row.ts";
import { array, boolean, define, described, nullable, object, optional, string, u32 } from "./shape.ts";

export const QueueListParams = define(
  "QueueListParams",
  object({
    cursor: optional(nullable(string())),
    limit: optional(nullable(u32())),
    rows: optional(nullable(u32())),
    subscribe: optional(nullable(boolean())),
  }),
  "`rows` is how many turns of each queue are shown, 3 by default and 10 at most. With `subscribe`, the connection receives `queue/changed` of all threads from then on; false ends that.",
);
export const QueueOverview = define(
  "QueueOverview",
  object({
    threadId: string(),
    name: nullable(string()),
    preview: string(),
    cwd: nullable(string()),
    pauseReason: nullable(string()),
    heldUpBy: nullable(QueueHold),
    rows: array(QueuedTurn),
    total: u32(),
    lastChange: described("Who with a token changed it last; null if nobody did.", nullable(AuditEntry)),
  }),
  "A thread that has a queue: its first turns, and why the first of them does not start now.",
);
export const QueueListResponse = define(
  "QueueListResponse",
  object({ data: array(QueueOverview), nextCursor: nullable(string()) }),
);
export const QueueChangedNotification = define("QueueChangedNotification", object({ queue: QueueOverview }));

export const queueOverviewRequests = {
  "queue/list": request({
    summary: "Pages through the threads that have a queue, the latest thread first.",
    stability: "experimental",
    scope: "read",
    params: QueueListParams,
    result: QueueListResponse,
    order: free,
    idempotent: true,
    handlers: "queue-overview",
  }),
};

export const queueOverviewNotifications = {
  "queue/changed": notification({
    summary: "The queue of some thread changed. Only for connections that asked for it.",
    stability: "experimental",
    params: QueueChangedNotification,
    audience: "connection",
  }),
};
