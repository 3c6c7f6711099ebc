// Listing and reading threads without loading them.

import { byThread, free, notification, request } from "./row.ts";
import {
  anyOf,
  array,
  boolean,
  choice,
  define,
  experimental,
  heddle,
  map,
  nullable,
  object,
  optional,
  string,
  tagged,
  u32,
} from "./shape.ts";
import { ThreadReadState } from "./thread-read-state.ts";
import { SortDirection, Thread, ThreadMemoryMode } from "./thread-record.ts";
import { ThreadSummary } from "./thread-summary.ts";

export const ThreadSortKey = define(
  "ThreadSortKey",
  choice("created_at", "updated_at", "recency_at", "section_position"),
);
export const ThreadSourceKind = define(
  "ThreadSourceKind",
  choice(
    "cli",
    "vscode",
    "exec",
    "appServer",
    "subAgent",
    "subAgentReview",
    "subAgentCompact",
    "subAgentThreadSpawn",
    "subAgentOther",
    "unknown",
  ),
);
export const ThreadListCwdFilter = define("ThreadListCwdFilter", anyOf(string(), array(string())));
export const ThreadListParams = define(
  "ThreadListParams",
  object({
    cursor: nullable(string()),
    limit: nullable(u32()),
    excludedThreadIds: nullable(array(string())),
    sortKey: nullable(ThreadSortKey),
    sortDirection: nullable(SortDirection),
    modelProviders: nullable(array(string())),
    sourceKinds: nullable(array(ThreadSourceKind)),
    originators: nullable(array(string())),
    archived: nullable(boolean()),
    sectionId: nullable(string()),
    projectId: experimental("thread/list.projectId", nullable(string())),
    cwd: nullable(ThreadListCwdFilter),
    useStateDbOnly: optional(boolean()),
    searchTerm: nullable(string()),
    parentThreadId: experimental("thread/list.parentThreadId", nullable(string())),
    ancestorThreadId: experimental("thread/list.ancestorThreadId", nullable(string())),
    attachedToThreadId: experimental("thread/list.attachedToThreadId", nullable(string())),
    withSummaries: experimental(
      "thread/list.withSummaries",
      heddle("Whether the response has `summaries`.", optional(nullable(boolean()))),
    ),
  }),
);
export const ThreadListResponse = define(
  "ThreadListResponse",
  object({
    data: array(Thread),
    readStates: experimental("thread/list.readStates", nullable(map(ThreadReadState))),
    summaries: optional(
      experimental(
        "thread/list.summaries",
        heddle("By thread id, where `withSummaries` asks for them.", map(ThreadSummary)),
      ),
    ),
    nextCursor: nullable(string()),
    backwardsCursor: nullable(string()),
  }),
);
export const ThreadLoadedListParams = define(
  "ThreadLoadedListParams",
  object({ cursor: nullable(string()), limit: nullable(u32()) }),
);
export const ThreadLoadedListResponse = define(
  "ThreadLoadedListResponse",
  object({ data: array(string()), nextCursor: nullable(string()) }),
);
export const ThreadReadParams = define(
  "ThreadReadParams",
  object({ threadId: string(), includeTurns: optional(boolean()) }),
);
export const ThreadReadResponse = define(
  "ThreadReadResponse",
  object({
    thread: Thread,
    readState: experimental("thread/read.readState", nullable(ThreadReadState)),
    memoryMode: optional(experimental("thread/read.memoryMode", ThreadMemoryMode)),
  }),
);
export const ThreadReadStateOperation = define(
  "ThreadReadStateOperation",
  tagged("type", { read: {}, unread: {} }),
);
export const ThreadReadStateUpdateParams = define(
  "ThreadReadStateUpdateParams",
  object({ threadId: string(), operation: ThreadReadStateOperation, expectedRevision: string() }),
);
export const ThreadReadStateUpdateResponse = define(
  "ThreadReadStateUpdateResponse",
  object({ readState: ThreadReadState }),
);
export const ThreadReadStateChangedNotification = define(
  "ThreadReadStateChangedNotification",
  object({ threadId: string(), readState: ThreadReadState }),
);

export const threadListRequests = {
  "thread/list": request({
    summary: "Pages through stored threads.",
    stability: "stable",
    scope: "read",
    params: ThreadListParams,
    result: ThreadListResponse,
    order: free,
    idempotent: true,
    handlers: "thread-lists",
  }),
  "thread/loaded/list": request({
    summary: "Pages through the ids of the threads in memory.",
    stability: "stable",
    scope: "read",
    params: ThreadLoadedListParams,
    result: ThreadLoadedListResponse,
    order: free,
    idempotent: true,
  }),
  "thread/read": request({
    summary: "Reads a thread without subscribing to it.",
    stability: "stable",
    scope: "read",
    params: ThreadReadParams,
    result: ThreadReadResponse,
    order: byThread,
    idempotent: true,
    handlers: "thread-lists",
  }),
  "thread/readState/update": request({
    summary: "Records how far the user has read a thread.",
    stability: "experimental",
    scope: "operate",
    params: ThreadReadStateUpdateParams,
    result: ThreadReadStateUpdateResponse,
    order: byThread,
    handlers: "thread-details",
  }),
};

export const threadListNotifications = {
  "thread/readState/changed": notification({
    summary: "The first unread position of a thread changed.",
    stability: "experimental",
    params: ThreadReadStateChangedNotification,
    audience: "thread",
  }),
};
