// Changes to a thread after its start: names, archive, deletion, status.

import { byThread, emptyResult, notification, request } from "./row.ts";
import { boolean, choice, define, experimental, nullable, object, optional, string } from "./shape.ts";
import { Thread, ThreadMemoryMode, ThreadStatus } from "./thread-record.ts";

export const ThreadArchiveParams = define("ThreadArchiveParams", object({ threadId: string() }));
export const ThreadUnarchiveParams = define("ThreadUnarchiveParams", object({ threadId: string() }));
export const ThreadUnarchiveResponse = define("ThreadUnarchiveResponse", object({ thread: Thread }));
export const ThreadDeleteParams = define("ThreadDeleteParams", object({ threadId: string() }));
export const ThreadUnsubscribeParams = define("ThreadUnsubscribeParams", object({ threadId: string() }));
export const ThreadUnsubscribeStatus = define(
  "ThreadUnsubscribeStatus",
  choice("notLoaded", "notSubscribed", "unsubscribed"),
);
export const ThreadUnsubscribeResponse = define(
  "ThreadUnsubscribeResponse",
  object({ status: ThreadUnsubscribeStatus }),
);
export const ThreadSetNameParams = define(
  "ThreadSetNameParams",
  object({ threadId: string(), name: string() }),
);
export const ThreadMetadataGitInfoUpdateParams = define(
  "ThreadMetadataGitInfoUpdateParams",
  object({ sha: nullable(string()), branch: nullable(string()), originUrl: nullable(string()) }),
);
export const ThreadMetadataUpdateParams = define(
  "ThreadMetadataUpdateParams",
  object({
    threadId: string(),
    projectId: experimental("thread/metadata/update.projectId", nullable(string())),
    gitInfo: nullable(ThreadMetadataGitInfoUpdateParams),
    daybreakEnabled: experimental("thread/metadata/update.daybreakEnabled", nullable(boolean())),
  }),
);
export const ThreadMetadataUpdateResponse = define(
  "ThreadMetadataUpdateResponse",
  object({ thread: Thread }),
);
export const ThreadMemoryModeSetParams = define(
  "ThreadMemoryModeSetParams",
  object({ threadId: string(), mode: ThreadMemoryMode }),
);
export const ThreadStatusChangedNotification = define(
  "ThreadStatusChangedNotification",
  object({ threadId: string(), status: ThreadStatus }),
);
export const ThreadArchivedNotification = define(
  "ThreadArchivedNotification",
  object({ threadId: string() }),
);
export const ThreadDeletedNotification = define("ThreadDeletedNotification", object({ threadId: string() }));
export const ThreadUnarchivedNotification = define(
  "ThreadUnarchivedNotification",
  object({ threadId: string() }),
);
export const ThreadClosedNotification = define("ThreadClosedNotification", object({ threadId: string() }));
export const ThreadNameUpdatedNotification = define(
  "ThreadNameUpdatedNotification",
  object({ threadId: string(), threadName: optional(string()) }),
);

export const threadRequests = {
  "thread/archive": request({
    summary: "Hides a thread from lists without deleting it.",
    stability: "stable",
    scope: "operate",
    params: ThreadArchiveParams,
    result: emptyResult("ThreadArchiveResponse"),
    order: byThread,
    handlers: "thread-upkeep",
    isAudited: true,
  }),
  "thread/unarchive": request({
    summary: "Brings an archived thread back into lists.",
    stability: "stable",
    scope: "operate",
    params: ThreadUnarchiveParams,
    result: ThreadUnarchiveResponse,
    order: byThread,
    handlers: "thread-upkeep",
    isAudited: true,
  }),
  "thread/delete": request({
    summary: "Deletes a thread and its history permanently.",
    stability: "stable",
    scope: "operate",
    params: ThreadDeleteParams,
    result: emptyResult("ThreadDeleteResponse"),
    order: byThread,
    handlers: "thread-upkeep",
    isAudited: true,
  }),
  "thread/unsubscribe": request({
    summary: "Stops the caller's notifications about a thread.",
    stability: "stable",
    scope: "read",
    params: ThreadUnsubscribeParams,
    result: ThreadUnsubscribeResponse,
    order: byThread,
  }),
  "thread/name/set": request({
    summary: "Gives a thread a title.",
    stability: "stable",
    scope: "operate",
    params: ThreadSetNameParams,
    result: emptyResult("ThreadSetNameResponse"),
    order: byThread,
    handlers: "thread-details",
  }),
  "thread/metadata/update": request({
    summary: "Changes the metadata of a thread.",
    stability: "stable",
    scope: "operate",
    params: ThreadMetadataUpdateParams,
    result: ThreadMetadataUpdateResponse,
    order: byThread,
    handlers: "thread-details",
  }),
  "thread/memoryMode/set": request({
    summary: "Chooses whether a thread may feed and use memory.",
    stability: "experimental",
    scope: "operate",
    params: ThreadMemoryModeSetParams,
    result: emptyResult("ThreadMemoryModeSetResponse"),
    order: byThread,
    handlers: "thread-details",
  }),
};

export const threadNotifications = {
  "thread/status/changed": notification({
    summary: "A thread became loaded, idle, active or broken.",
    stability: "stable",
    params: ThreadStatusChangedNotification,
    audience: "all",
  }),
  "thread/archived": notification({
    summary: "A thread was archived.",
    stability: "stable",
    params: ThreadArchivedNotification,
    audience: "all",
  }),
  "thread/deleted": notification({
    summary: "A thread was deleted.",
    stability: "stable",
    params: ThreadDeletedNotification,
    audience: "all",
  }),
  "thread/unarchived": notification({
    summary: "A thread was unarchived.",
    stability: "stable",
    params: ThreadUnarchivedNotification,
    audience: "all",
  }),
  "thread/closed": notification({
    summary: "A thread was unloaded from memory.",
    stability: "stable",
    params: ThreadClosedNotification,
    audience: "all",
  }),
  "thread/name/updated": notification({
    summary: "A thread has a new title.",
    stability: "stable",
    params: ThreadNameUpdatedNotification,
    audience: "all",
  }),
};
