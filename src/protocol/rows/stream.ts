// The events of a thread from a position on, for clients with the capability `resumableEvents`.

import { byThread, free, notification, request } from "./row.ts";
import {
  anyJson,
  array,
  boolean,
  choice,
  define,
  heddle,
  map,
  nullable,
  object,
  optional,
  string,
  u32,
} from "./shape.ts";

/** The member of durable notifications; other notifications have none. */
export const seq = () =>
  heddle(
    "The position after this event, for clients with the capability `resumableEvents`.",
    optional(string()),
  );

export const ThreadSubscribeParams = define(
  "ThreadSubscribeParams",
  object({ threadId: string(), afterSeq: nullable(string()) }),
);
export const ThreadSubscribeResponse = define(
  "ThreadSubscribeResponse",
  object({ threadId: string(), afterSeq: string() }),
);
export const ThreadSyncedNotification = define(
  "ThreadSyncedNotification",
  object({ threadId: string(), throughSeq: string() }),
);
export const ThreadResyncReason = define("ThreadResyncReason", choice("beyondEnd", "noPositions"));
export const ThreadResyncNotification = define(
  "ThreadResyncNotification",
  object({ threadId: string(), fromSeq: string(), reason: ThreadResyncReason }),
);

export const ThreadEventsListParams = define(
  "ThreadEventsListParams",
  object({ threadId: string(), afterSeq: nullable(string()), limit: nullable(u32()) }),
);
export const ThreadStoredEvent = define(
  "ThreadStoredEvent",
  object({ method: string(), params: map(anyJson()), seq: string() }),
);
export const ThreadEventsListResponse = define(
  "ThreadEventsListResponse",
  object({ data: array(ThreadStoredEvent), nextSeq: string(), isComplete: boolean() }),
);

export const streamRequests = {
  "thread/subscribe": request({
    summary:
      "Sends the durable events of a thread after a position, then `thread/synced`, then new ones. Does not load the thread.",
    stability: "experimental",
    scope: "read",
    params: ThreadSubscribeParams,
    result: ThreadSubscribeResponse,
    order: byThread,
    idempotent: true,
    handlers: "thread-subscribe",
  }),
  "thread/events/list": request({
    summary: "Reads a page of the durable events of a thread after a position, the oldest first.",
    stability: "experimental",
    scope: "read",
    params: ThreadEventsListParams,
    result: ThreadEventsListResponse,
    order: free,
    idempotent: true,
    handlers: "thread-subscribe",
  }),
};

export const streamNotifications = {
  "thread/synced": notification({
    summary: "All durable events up to a position were sent; those that follow are new.",
    stability: "experimental",
    params: ThreadSyncedNotification,
    audience: "connection",
  }),
  "thread/resync": notification({
    summary:
      "The thread has no event at the position that a client asked for: what the client has after `fromSeq` is stale.",
    stability: "experimental",
    params: ThreadResyncNotification,
    audience: "connection",
  }),
};
