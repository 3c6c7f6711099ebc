// Reviews of changes.

import { byThread, request } from "./row.ts";
import { choice, define, nullable, object, string, tagged } from "./shape.ts";
import { Turn } from "./turn-record.ts";

export const ReviewTarget = define(
  "ReviewTarget",
  tagged("type", {
    uncommittedChanges: {},
    baseBranch: { branch: string() },
    commit: { sha: string(), title: nullable(string()) },
    custom: { instructions: string() },
  }),
);
export const ReviewDelivery = define("ReviewDelivery", choice("inline"));
export const ReviewStartParams = define(
  "ReviewStartParams",
  object({ threadId: string(), target: ReviewTarget, delivery: nullable(ReviewDelivery) }),
);
export const ReviewStartResponse = define(
  "ReviewStartResponse",
  object({ turn: Turn, reviewThreadId: string() }),
);

export const reviewRequests = {
  "review/start": request({
    summary: "Starts a review of changes, in the thread or in a new one.",
    stability: "stable",
    scope: "operate",
    params: ReviewStartParams,
    result: ReviewStartResponse,
    order: byThread,
    handlers: "thread-work",
  }),
};
