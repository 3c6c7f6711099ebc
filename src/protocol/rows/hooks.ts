// Configured hooks and their runs.

import { HookEventName, HookRunSummary, HookSource } from "./hook-run.ts";
import { notification, request, shared } from "./row.ts";
import {
  absolutePath,
  array,
  boolean,
  choice,
  define,
  heddle,
  i64,
  nullable,
  object,
  optional,
  path,
  string,
  tagged,
  u64,
  usize,
} from "./shape.ts";
import { seq } from "./stream.ts";

export const HooksListParams = define(
  "HooksListParams",
  object({ cwds: optional(array(path())), threadId: nullable(string()) }),
);
export const HookTrustStatus = define(
  "HookTrustStatus",
  choice("managed", "untrusted", "trusted", "modified"),
);
export const HookMetadata = define(
  "HookMetadata",
  tagged(
    "handlerType",
    {
      command: {
        command: string(),
        async: boolean(),
        heddleType: heddle(
          "The kind of a hook that only Heddle has; `command` then describes it.",
          optional(choice("http", "module")),
        ),
      },
      mcpTool: { server: string(), tool: string() },
      prompt: {},
      agent: {},
    },
    {
      key: string(),
      eventName: HookEventName,
      matcher: nullable(string()),
      timeoutSec: u64(),
      statusMessage: nullable(string()),
      additionalContextLimit: nullable(usize()),
      sourcePath: absolutePath(),
      source: HookSource,
      pluginId: nullable(string()),
      environmentId: nullable(string()),
      displayOrder: i64(),
      enabled: boolean(),
      isManaged: boolean(),
      currentHash: string(),
      trustStatus: HookTrustStatus,
    },
  ),
);
export const HookErrorInfo = define("HookErrorInfo", object({ path: string(), message: string() }));
export const HooksListEntry = define(
  "HooksListEntry",
  object({
    cwd: string(),
    hooks: array(HookMetadata),
    warnings: array(string()),
    errors: array(HookErrorInfo),
  }),
);
export const HooksListResponse = define("HooksListResponse", object({ data: array(HooksListEntry) }));
export const HookStartedNotification = define(
  "HookStartedNotification",
  object({ threadId: string(), turnId: nullable(string()), run: HookRunSummary }),
);
export const HookCompletedNotification = define(
  "HookCompletedNotification",
  object({ threadId: string(), turnId: nullable(string()), run: HookRunSummary, seq: seq() }),
);

export const hooksRequests = {
  "hooks/list": request({
    summary: "Lists the hooks that apply in given folders, with their trust and any problems.",
    stability: "stable",
    scope: "read",
    params: HooksListParams,
    result: HooksListResponse,
    order: shared("config"),
    idempotent: true,
    handlers: "hooks",
  }),
};

export const hooksNotifications = {
  "hook/started": notification({
    summary: "A hook began to run.",
    stability: "stable",
    params: HookStartedNotification,
    audience: "thread",
  }),
  "hook/completed": notification({
    summary: "A hook ended, with its result.",
    stability: "stable",
    params: HookCompletedNotification,
    audience: "thread",
    isDurable: true,
  }),
};
