// The inbox: open questions and decisions of all threads, loaded or not.

import { RequestId } from "./approval.ts";
import { FileUpdateChange } from "./item-detail.ts";
import { free, notification, request } from "./row.ts";
import {
  anyJson,
  array,
  boolean,
  choice,
  define,
  i64,
  nullable,
  object,
  optional,
  string,
  tagged,
  u32,
} from "./shape.ts";

export const ApprovalKind = define(
  "ApprovalKind",
  choice("command", "fileChange", "mcpTool", "permissions", "elicitation", "userInput"),
);
export const ApprovalOutcome = define("ApprovalOutcome", choice("approved", "denied", "cancelled"));
export const ApprovalDecider = define(
  "ApprovalDecider",
  object({
    kind: choice("policy", "rule", "sessionGrant", "client", "hook", "timeOut", "interruption", "failure"),
    name: nullable(string()),
    subject: nullable(string()),
  }),
  "Who or what decided: for a client, the name that it gave and the subject of its token.",
);
export const ApprovalVerdict = define(
  "ApprovalVerdict",
  object({
    outcome: ApprovalOutcome,
    by: ApprovalDecider,
    reason: nullable(string()),
    decidedAt: i64(),
  }),
);
export const ApprovalStatus = define(
  "ApprovalStatus",
  choice("open", "answered", "closed"),
  "`answered`: the answer is recorded, and takes effect when the thread is loaded.",
);
export const ApprovalCause = define(
  "ApprovalCause",
  tagged("kind", {
    rule: {
      pattern: array(string()),
      file: nullable(string()),
      line: nullable(u32()),
      justification: nullable(string()),
    },
    policy: { policy: string(), why: string() },
    sandbox: { why: string() },
    hook: { why: nullable(string()) },
    server: { server: string() },
    model: {},
  }),
  "Why somebody is asked: a rule, the approval policy, something beyond the sandbox, a hook that wants it, an MCP server or the model itself.",
);
export const Approval = define(
  "Approval",
  object({
    id: string(),
    threadId: string(),
    turnId: nullable(string()),
    itemId: nullable(string()),
    kind: ApprovalKind,
    status: ApprovalStatus,
    command: nullable(string()),
    cwd: nullable(string()),
    paths: nullable(array(string())),
    changes: nullable(array(FileUpdateChange)),
    server: nullable(string()),
    tool: nullable(string()),
    reason: nullable(string()),
    request: nullable(object({ method: string(), params: anyJson() })),
    requestId: nullable(RequestId),
    isDurable: boolean(),
    requestedAt: i64(),
    ageMs: i64(),
    until: nullable(i64()),
    verdict: nullable(ApprovalVerdict),
    cause: nullable(ApprovalCause),
  }),
  "A question, open or decided. `request` is what clients of the thread are asked, while it is open; `requestId` is its id where this server has asked them. `isDurable`: it outlives the server.",
);
export const ApprovalListParams = define(
  "ApprovalListParams",
  object({
    status: optional(nullable(choice("open", "closed", "all"))),
    threadId: optional(nullable(string())),
    cursor: optional(nullable(string())),
    limit: optional(nullable(u32())),
    subscribe: optional(nullable(boolean())),
  }),
  "`status` is `open` by default. With `subscribe`, the connection receives `approval/changed` of all threads from then on; false ends that.",
);
export const ApprovalListResponse = define(
  "ApprovalListResponse",
  object({ data: array(Approval), nextCursor: nullable(string()) }),
);
export const ApprovalAnswerParams = define(
  "ApprovalAnswerParams",
  object({ id: string(), decision: anyJson() }),
  "The decision is that of the request itself: `accept`, for example, or the whole result, such as `{ action, content }`.",
);
export const ApprovalAnswerResponse = define("ApprovalAnswerResponse", object({ approval: Approval }));
export const ApprovalChangedNotification = define(
  "ApprovalChangedNotification",
  object({ approval: Approval }),
);

export const inboxRequests = {
  "approval/list": request({
    summary: "Pages through the questions of all threads, open ones first asked first, others newest first.",
    stability: "experimental",
    scope: "read",
    params: ApprovalListParams,
    result: ApprovalListResponse,
    order: free,
    idempotent: true,
    handlers: "approvals",
  }),
  "approval/answer": request({
    summary: "Answers an open question of any thread, loaded or not; the first answer counts.",
    stability: "experimental",
    scope: "answer",
    params: ApprovalAnswerParams,
    result: ApprovalAnswerResponse,
    order: free,
    handlers: "approvals",
  }),
};

export const inboxNotifications = {
  "approval/changed": notification({
    summary:
      "A question of some thread was asked, answered or closed. Only for connections that asked for it.",
    stability: "experimental",
    params: ApprovalChangedNotification,
    audience: "connection",
  }),
};
