// Pages of a thread's history, additions to it and reverts.

import { ThreadItem } from "./item.ts";
import { byThread, emptyResult, free, notification, request } from "./row.ts";
import {
  anyJson,
  anyOf,
  array,
  define,
  heddle,
  i64,
  nullable,
  object,
  optional,
  string,
  tagged,
  u32,
  u64,
} from "./shape.ts";
import { seq } from "./stream.ts";
import { SortDirection, Thread } from "./thread-record.ts";
import { Turn, TurnError, TurnItemsView, TurnStatus } from "./turn-record.ts";

export const ThreadRevertParams = define(
  "ThreadRevertParams",
  object({ threadId: string(), beforeTurnId: string() }),
);
export const ThreadRevertResponse = define(
  "ThreadRevertResponse",
  object({
    thread: Thread,
    turnsBackwardsCursor: nullable(string()),
    itemsBackwardsCursor: nullable(string()),
  }),
);
export const ThreadTurnsListParams = define(
  "ThreadTurnsListParams",
  object({
    threadId: string(),
    cursor: nullable(string()),
    limit: nullable(u32()),
    sortDirection: nullable(SortDirection),
    itemsView: nullable(TurnItemsView),
  }),
);
export const ThreadTurnsListResponse = define(
  "ThreadTurnsListResponse",
  object({ data: array(Turn), nextCursor: nullable(string()), backwardsCursor: nullable(string()) }),
);
export const ThreadItemsListAnchor = define(
  "ThreadItemsListAnchor",
  tagged("type", { item: { itemId: string() } }),
);
export const ThreadItemsListCursor = define("ThreadItemsListCursor", anyOf(string(), ThreadItemsListAnchor));
export const ThreadItemsListParams = define(
  "ThreadItemsListParams",
  object({
    threadId: string(),
    turnId: nullable(string()),
    cursor: nullable(ThreadItemsListCursor),
    limit: nullable(u32()),
    sortDirection: nullable(SortDirection),
  }),
);
export const ThreadItemEntry = define(
  "ThreadItemEntry",
  object({
    turnId: string(),
    item: ThreadItem,
    startedAtMs: nullable(i64()),
    completedAtMs: nullable(i64()),
  }),
);
export const ThreadItemsListResponse = define(
  "ThreadItemsListResponse",
  object({
    data: array(ThreadItemEntry),
    nextCursor: nullable(string()),
    backwardsCursor: nullable(string()),
  }),
);
export const ThreadItemsReadParams = define(
  "ThreadItemsReadParams",
  object({ threadId: string(), turnId: string(), itemIds: array(string()) }),
);
export const ThreadItemsReadResponse = define(
  "ThreadItemsReadResponse",
  object({ data: array(ThreadItemEntry) }),
);
export const ThreadInjectItemsParams = define(
  "ThreadInjectItemsParams",
  object({ threadId: string(), items: array(anyJson()) }),
);
export const ThreadTimelineListParams = define(
  "ThreadTimelineListParams",
  object({ threadId: string(), cursor: nullable(string()), limit: nullable(u32()) }),
);
export const ThreadTimelineEntry = define(
  "ThreadTimelineEntry",
  tagged(
    "type",
    {
      item: { item: ThreadItem },
      turnStarted: { startedAt: nullable(i64()) },
      turnCompleted: {
        status: TurnStatus,
        error: nullable(TurnError),
        startedAt: nullable(i64()),
        completedAt: nullable(i64()),
        durationMs: nullable(i64()),
      },
    },
    { position: u64(), turnId: string() },
  ),
);
export const ThreadTimelineListResponse = define(
  "ThreadTimelineListResponse",
  object({
    data: array(ThreadTimelineEntry),
    nextCursor: nullable(string()),
    activeRealtimeSessionAtPageStart: nullable(string()),
  }),
);
export const ThreadRevertedNotification = define(
  "ThreadRevertedNotification",
  object({
    threadId: string(),
    keptUpTo: heddle("Events after this position and before `seq` were taken back.", optional(string())),
    seq: seq(),
  }),
);

export const threadHistoryRequests = {
  "thread/revert": request({
    summary: "Takes a thread back to the state before one of its turns.",
    stability: "stable",
    scope: "operate",
    params: ThreadRevertParams,
    result: ThreadRevertResponse,
    order: byThread,
    handlers: "thread-revert",
    isAudited: true,
  }),
  "thread/turns/list": request({
    summary: "Pages through the turns of a thread.",
    stability: "stable",
    scope: "read",
    params: ThreadTurnsListParams,
    result: ThreadTurnsListResponse,
    order: free,
    idempotent: true,
    handlers: "thread-pages",
  }),
  "thread/items/list": request({
    summary: "Pages through the items of a thread or of one turn.",
    stability: "stable",
    scope: "read",
    params: ThreadItemsListParams,
    result: ThreadItemsListResponse,
    order: free,
    idempotent: true,
    handlers: "thread-pages",
  }),
  "thread/items/read": request({
    summary: "Reads chosen items of one turn.",
    stability: "experimental",
    scope: "read",
    params: ThreadItemsReadParams,
    result: ThreadItemsReadResponse,
    order: free,
    idempotent: true,
    handlers: "thread-pages",
  }),
  "thread/inject_items": request({
    summary: "Appends raw model items to the history without starting a turn.",
    stability: "stable",
    scope: "operate",
    params: ThreadInjectItemsParams,
    result: emptyResult("ThreadInjectItemsResponse"),
    order: byThread,
    handlers: "thread-work",
  }),
  "thread/timeline/list": request({
    summary: "Pages through turns and items in the order in which they were recorded.",
    stability: "experimental",
    scope: "read",
    params: ThreadTimelineListParams,
    result: ThreadTimelineListResponse,
    order: free,
    idempotent: true,
    handlers: "thread-pages",
  }),
};

export const threadHistoryNotifications = {
  "thread/reverted": notification({
    summary: "A thread was reverted to an earlier state; copies of clients are stale.",
    stability: "experimental",
    params: ThreadRevertedNotification,
    audience: "all",
    isDurable: true,
  }),
};
