// Background work on a thread: compaction, shell commands, leftover processes.

import { byThread, emptyResult, notification, request } from "./row.ts";
import { anyJson, array, boolean, define, i64, nullable, number, object, string, u32, u64 } from "./shape.ts";

export const ThreadIncrementElicitationParams = define(
  "ThreadIncrementElicitationParams",
  object({ threadId: string() }),
);
export const ThreadIncrementElicitationResponse = define(
  "ThreadIncrementElicitationResponse",
  object({ count: i64(), paused: boolean() }),
);
export const ThreadDecrementElicitationParams = define(
  "ThreadDecrementElicitationParams",
  object({ threadId: string() }),
);
export const ThreadDecrementElicitationResponse = define(
  "ThreadDecrementElicitationResponse",
  object({ count: i64(), paused: boolean() }),
);
export const ThreadCompactStartParams = define("ThreadCompactStartParams", object({ threadId: string() }));
export const ThreadShellCommandParams = define(
  "ThreadShellCommandParams",
  object({ threadId: string(), command: string(), timeoutMs: nullable(i64()) }),
);
export const ThreadApproveGuardianDeniedActionParams = define(
  "ThreadApproveGuardianDeniedActionParams",
  object({ threadId: string(), event: anyJson() }),
);
export const ThreadBackgroundTerminalsCleanParams = define(
  "ThreadBackgroundTerminalsCleanParams",
  object({ threadId: string() }),
);
export const ThreadBackgroundTerminalsListParams = define(
  "ThreadBackgroundTerminalsListParams",
  object({ threadId: string(), cursor: nullable(string()), limit: nullable(u32()) }),
);
export const ThreadBackgroundTerminal = define(
  "ThreadBackgroundTerminal",
  object({
    itemId: string(),
    processId: string(),
    command: string(),
    cwd: string(),
    osPid: nullable(u32()),
    cpuPercent: nullable(number()),
    rssKb: nullable(u64()),
  }),
);
export const ThreadBackgroundTerminalsListResponse = define(
  "ThreadBackgroundTerminalsListResponse",
  object({ data: array(ThreadBackgroundTerminal), nextCursor: nullable(string()) }),
);
export const ThreadBackgroundTerminalsTerminateParams = define(
  "ThreadBackgroundTerminalsTerminateParams",
  object({ threadId: string(), processId: string() }),
);
export const ThreadBackgroundTerminalsTerminateResponse = define(
  "ThreadBackgroundTerminalsTerminateResponse",
  object({ terminated: boolean() }),
);
export const ContextCompactedNotification = define(
  "ContextCompactedNotification",
  object({ threadId: string(), turnId: string() }),
);

export const threadWorkRequests = {
  "thread/increment_elicitation": request({
    summary: "Announces that a prompt outside the protocol is open, so that time-outs wait.",
    stability: "experimental",
    scope: "operate",
    params: ThreadIncrementElicitationParams,
    result: ThreadIncrementElicitationResponse,
    order: byThread,
  }),
  "thread/decrement_elicitation": request({
    summary: "Announces that a prompt outside the protocol was closed.",
    stability: "experimental",
    scope: "operate",
    params: ThreadDecrementElicitationParams,
    result: ThreadDecrementElicitationResponse,
    order: byThread,
  }),
  "thread/compact/start": request({
    summary: "Starts a turn that replaces the history by a summary.",
    stability: "stable",
    scope: "operate",
    params: ThreadCompactStartParams,
    result: emptyResult("ThreadCompactStartResponse"),
    order: byThread,
    handlers: "thread-work",
  }),
  "thread/shellCommand": request({
    summary: "Runs a command of the user, outside the sandbox, and shows it to the model.",
    stability: "stable",
    scope: "admin",
    params: ThreadShellCommandParams,
    result: emptyResult("ThreadShellCommandResponse"),
    order: byThread,
    handlers: "thread-work",
  }),
  "thread/approveGuardianDeniedAction": request({
    summary: "Allows an action that the automatic reviewer refused.",
    stability: "stable",
    scope: "answer",
    params: ThreadApproveGuardianDeniedActionParams,
    result: emptyResult("ThreadApproveGuardianDeniedActionResponse"),
    order: byThread,
  }),
  "thread/backgroundTerminals/clean": request({
    summary: "Stops every process that a thread left running.",
    stability: "experimental",
    scope: "operate",
    params: ThreadBackgroundTerminalsCleanParams,
    result: emptyResult("ThreadBackgroundTerminalsCleanResponse"),
    order: byThread,
    handlers: "background-terminals",
  }),
  "thread/backgroundTerminals/list": request({
    summary: "Pages through the processes that a thread left running.",
    stability: "experimental",
    scope: "read",
    params: ThreadBackgroundTerminalsListParams,
    result: ThreadBackgroundTerminalsListResponse,
    order: byThread,
    idempotent: true,
    handlers: "background-terminals",
  }),
  "thread/backgroundTerminals/terminate": request({
    summary: "Stops one process that a thread left running.",
    stability: "experimental",
    scope: "operate",
    params: ThreadBackgroundTerminalsTerminateParams,
    result: ThreadBackgroundTerminalsTerminateResponse,
    order: byThread,
    handlers: "background-terminals",
  }),
};

export const threadWorkNotifications = {
  "thread/compacted": notification({
    summary: "The history was replaced by a summary; of an earlier protocol, see the contextCompaction item.",
    stability: "stable",
    params: ContextCompactedNotification,
    audience: "thread",
  }),
};
