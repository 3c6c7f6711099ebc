// How many tokens a thread has used.

import { notification } from "./row.ts";
import { define, i64, nullable, object, string } from "./shape.ts";
import { seq } from "./stream.ts";

export const TokenUsageBreakdown = define(
  "TokenUsageBreakdown",
  object({
    totalTokens: i64(),
    inputTokens: i64(),
    cachedInputTokens: i64(),
    cacheWriteInputTokens: i64(),
    outputTokens: i64(),
    reasoningOutputTokens: i64(),
  }),
);
export const ThreadTokenUsage = define(
  "ThreadTokenUsage",
  object({ total: TokenUsageBreakdown, last: TokenUsageBreakdown, modelContextWindow: nullable(i64()) }),
);
export const ThreadTokenUsageUpdatedNotification = define(
  "ThreadTokenUsageUpdatedNotification",
  object({ threadId: string(), turnId: string(), tokenUsage: ThreadTokenUsage, seq: seq() }),
);

export const tokenUsageNotifications = {
  "thread/tokenUsage/updated": notification({
    summary: "A model response was accounted for.",
    stability: "stable",
    params: ThreadTokenUsageUpdatedNotification,
    audience: "thread",
    isDurable: true,
  }),
};
