// Sums over all threads: tokens that were spent, and runs of hooks. The peer has no such methods.

import { HookEventName, HookRunStatus, HookRunSummary } from "./hook-run.ts";
import { free, request } from "./row.ts";
import {
  array,
  boolean,
  choice,
  define,
  i64,
  nullable,
  number,
  object,
  optional,
  string,
  u32,
  u64,
} from "./shape.ts";

const sums = () => ({
  turns: u64(),
  threads: u64(),
  inputTokens: u64(),
  cachedInputTokens: u64(),
  outputTokens: u64(),
  reasoningOutputTokens: u64(),
  totalTokens: u64(),
  cost: nullable(number()),
});
export const UsageSummaryParams = define(
  "UsageSummaryParams",
  object({
    from: string(),
    to: string(),
    groupBy: optional(nullable(array(choice("day", "folder", "model")))),
    timeZone: optional(nullable(string())),
  }),
  "`from` and `to` are days such as `2026-11-30`, both inclusive, 400 at most. Groups are days by default, the time zone is UTC.",
);
export const UsageSums = define(
  "UsageSums",
  object(sums()),
  "`turns` counts those in which a model has answered. `cost` is null if a model has no price in `prices` of the configuration.",
);
export const UsageGroup = define(
  "UsageGroup",
  object({ day: nullable(string()), folder: nullable(string()), model: nullable(string()), ...sums() }),
  "A member by which is not grouped is null.",
);
export const UsageSummaryResponse = define(
  "UsageSummaryResponse",
  object({ data: array(UsageGroup), total: UsageSums, isCut: boolean(), pending: u32() }),
  "In the order of days, then most tokens first. `isCut`: there are more groups. `pending` counts files whose latest turns are not counted yet: ask again for a more recent summary.",
);
export const HookRunListParams = define(
  "HookRunListParams",
  object({
    threadId: optional(nullable(string())),
    eventName: optional(nullable(HookEventName)),
    status: optional(nullable(HookRunStatus)),
    sourcePath: optional(nullable(string())),
    displayOrder: optional(nullable(i64())),
    cursor: optional(nullable(string())),
    limit: optional(nullable(u32())),
  }),
  "Each member narrows the list. A hook is identified by its event, its file and its `displayOrder`, as `hooks/list` has them.",
);
export const HookRunEntry = define(
  "HookRunEntry",
  object({ threadId: string(), turnId: string(), run: HookRunSummary }),
);
export const HookRunStats = define(
  "HookRunStats",
  object({
    eventName: HookEventName,
    sourcePath: string(),
    displayOrder: i64(),
    runs: u32(),
    blocked: u32(),
    failed: u32(),
    p50Ms: nullable(i64()),
    p95Ms: nullable(i64()),
  }),
  "Of one hook, over the runs that are kept.",
);
export const HookRunListResponse = define(
  "HookRunListResponse",
  object({
    data: array(HookRunEntry),
    nextCursor: nullable(string()),
    stats: array(HookRunStats),
    pending: u32(),
  }),
  "`stats` of all hooks are on the first page. `pending` as in `usage/summary`.",
);

export const activityRequests = {
  "usage/summary": request({
    summary: "Sums the tokens that all threads have spent, and their cost, by day, folder and model.",
    stability: "experimental",
    scope: "read",
    params: UsageSummaryParams,
    result: UsageSummaryResponse,
    order: free,
    idempotent: true,
    handlers: "activity",
  }),
  "hook/run/list": request({
    summary: "Pages through the runs of hooks in all threads, the newest first.",
    stability: "experimental",
    scope: "read",
    params: HookRunListParams,
    result: HookRunListResponse,
    order: free,
    idempotent: true,
    handlers: "activity",
  }),
};
