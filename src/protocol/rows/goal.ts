// The goal that a thread works towards.

import { byThread, notification, request } from "./row.ts";
import { boolean, choice, define, i64, nullable, object, string } from "./shape.ts";

export const ThreadGoalMutationOrigin = define("ThreadGoalMutationOrigin", choice("user", "automatic"));
export const ThreadGoalStatus = define(
  "ThreadGoalStatus",
  choice("active", "paused", "blocked", "usageLimited", "budgetLimited", "complete"),
);
export const ThreadGoalSetParams = define(
  "ThreadGoalSetParams",
  object({
    threadId: string(),
    origin: nullable(ThreadGoalMutationOrigin),
    objective: nullable(string()),
    status: nullable(ThreadGoalStatus),
    tokenBudget: nullable(i64()),
  }),
);
export const ThreadGoal = define(
  "ThreadGoal",
  object({
    threadId: string(),
    objective: string(),
    status: ThreadGoalStatus,
    tokenBudget: nullable(i64()),
    tokensUsed: i64(),
    timeUsedSeconds: i64(),
    createdAt: i64(),
    updatedAt: i64(),
  }),
);
export const ThreadGoalSetResponse = define("ThreadGoalSetResponse", object({ goal: ThreadGoal }));
export const ThreadGoalGetParams = define("ThreadGoalGetParams", object({ threadId: string() }));
export const ThreadGoalGetResponse = define("ThreadGoalGetResponse", object({ goal: nullable(ThreadGoal) }));
export const ThreadGoalClearParams = define(
  "ThreadGoalClearParams",
  object({ threadId: string(), origin: nullable(ThreadGoalMutationOrigin) }),
);
export const ThreadGoalClearResponse = define("ThreadGoalClearResponse", object({ cleared: boolean() }));
export const ThreadGoalUpdatedNotification = define(
  "ThreadGoalUpdatedNotification",
  object({ threadId: string(), turnId: nullable(string()), goal: ThreadGoal }),
);
export const ThreadGoalClearedNotification = define(
  "ThreadGoalClearedNotification",
  object({ threadId: string() }),
);

export const goalRequests = {
  "thread/goal/set": request({
    summary: "Creates or changes the goal that a thread works towards.",
    stability: "stable",
    scope: "operate",
    params: ThreadGoalSetParams,
    result: ThreadGoalSetResponse,
    order: byThread,
    handlers: "thread-goals",
  }),
  "thread/goal/get": request({
    summary: "Reads the goal of a thread.",
    stability: "stable",
    scope: "read",
    params: ThreadGoalGetParams,
    result: ThreadGoalGetResponse,
    order: byThread,
    idempotent: true,
    handlers: "thread-goals",
  }),
  "thread/goal/clear": request({
    summary: "Removes the goal of a thread.",
    stability: "stable",
    scope: "operate",
    params: ThreadGoalClearParams,
    result: ThreadGoalClearResponse,
    order: byThread,
    handlers: "thread-goals",
  }),
};

export const goalNotifications = {
  "thread/goal/updated": notification({
    summary: "The goal of a thread changed.",
    stability: "stable",
    params: ThreadGoalUpdatedNotification,
    audience: "all",
  }),
  "thread/goal/cleared": notification({
    summary: "The goal of a thread was removed.",
    stability: "stable",
    params: ThreadGoalClearedNotification,
    audience: "all",
  }),
};
