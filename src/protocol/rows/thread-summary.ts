// Summaries of threads, for lists. The peer has none.

import { notification } from "./row.ts";
import { define, i64, nullable, number, object, string, u32 } from "./shape.ts";
import { ThreadReadState } from "./thread-read-state.ts";
import { ThreadStatus, ThreadWaiting } from "./thread-record.ts";
import { TurnStatus } from "./turn-record.ts";

export const ThreadSummary = define(
  "ThreadSummary",
  object({
    threadId: string(),
    name: nullable(string()),
    preview: string(),
    cwd: string(),
    status: ThreadStatus,
    waiting: nullable(ThreadWaiting),
    readState: nullable(ThreadReadState),
    queueLength: u32(),
    totalTokens: nullable(i64()),
    cost: nullable(number()),
    lastTurnStatus: nullable(TurnStatus),
    updatedAt: i64(),
  }),
  "What a list shows of a thread. `readState` is null for threads that no user reads; `cost` is that of its tokens at the price of its present model, null without a price.",
);
export const ThreadSummaryChangedNotification = define(
  "ThreadSummaryChangedNotification",
  object({ summary: ThreadSummary }),
);

export const threadSummaryNotifications = {
  "thread/summary/changed": notification({
    summary:
      "What a list shows of a thread has changed. Only for connections with the capability `threadSummaries`, at most once in 250 ms for each thread.",
    stability: "experimental",
    params: ThreadSummaryChangedNotification,
    audience: "connection",
  }),
};
