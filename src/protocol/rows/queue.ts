// The durable queue of turns of a thread. Two generations of clients send different params; both are accepted, and
// every result has the members of both.

import { UserInput } from "./input.ts";
import { byThread, notification, permissionProfile, request } from "./row.ts";
import {
  array,
  boolean,
  choice,
  define,
  heddle,
  i64,
  nullable,
  object,
  optional,
  requireEither,
  string,
  tagged,
  u32,
} from "./shape.ts";
import { TurnStartParams } from "./turn.ts";
import { Turn, TurnError } from "./turn-record.ts";

export const QueuedTurnStatus = define(
  "QueuedTurnStatus",
  tagged("type", { pending: {}, failed: { error: TurnError } }),
);
export const QueuedTurn = define(
  "QueuedTurn",
  object({
    id: string(),
    input: array(UserInput),
    clientUserMessageId: string(),
    turnStartParams: heddle("The params with which the turn will start.", TurnStartParams),
    status: heddle("Whether the turn waits, or could not be started and blocks the queue.", QueuedTurnStatus),
    notBefore: heddle(
      "Unix time in seconds before which it does not start; absent if none was given.",
      optional(i64()),
    ),
    source: heddle(
      "What added it: an event from outside, or a schedule; absent if a client did.",
      optional(choice("event", "schedule")),
    ),
    sentBy: heddle("The subject of the token of who sent it; absent without one.", optional(string())),
    isOutline: heddle(
      "True if `input` and the other params are omitted because they are large; `thread/queue/list` has them.",
      optional(boolean()),
    ),
  }),
  "A turn that waits in a queue.",
);

export const ThreadQueueAddParams = define(
  "ThreadQueueAddParams",
  requireEither(
    {
      threadId: string(),
      input: optional(array(UserInput)),
      clientUserMessageId: optional(string()),
      turnStartParams: heddle(
        "The whole turn, instead of `input` and `clientUserMessageId`.",
        optional(TurnStartParams),
      ),
      notBefore: heddle(
        "Unix time in seconds before which it does not start; later entries wait as well.",
        optional(i64()),
      ),
    },
    ["turnStartParams"],
    ["input", "clientUserMessageId"],
  ),
);
const startedTurnId = () =>
  heddle(
    "The turn of an entry with this `clientUserMessageId` that has already started, in which case nothing was added; absent otherwise.",
    optional(string()),
  );
export const ThreadQueueAddResponse = define(
  "ThreadQueueAddResponse",
  object({
    queuedSubmission: QueuedTurn,
    queuedTurn: heddle("The same entry as `queuedSubmission`.", QueuedTurn),
    startedTurnId: startedTurnId(),
  }),
);
export const ThreadQueueListParams = define(
  "ThreadQueueListParams",
  object({ threadId: string(), cursor: nullable(string()), limit: nullable(u32()) }),
);
const pauseReason = () => heddle("Why the queue is paused; absent if it is not.", optional(string()));
export const QueueHold = define(
  "QueueHold",
  tagged("type", {
    question: { turnId: string() },
    usageLimit: { turnId: string(), until: i64() },
    paused: { reason: string() },
    failed: { queuedTurnId: string() },
    notBefore: { notBefore: i64() },
    turn: { turnId: string() },
    elsewhere: {},
    noServer: {},
  }),
  "Why the first turn of a queue does not start: an open question of the running turn, a usage limit whose end it waits for, a pause, its own failure, its time, the running turn, another process that holds the thread, or because no server loads threads without a client.",
);
const heldUpBy = () =>
  heddle(
    "Why the first waiting turn does not start now; absent if none waits or it is about to start.",
    optional(QueueHold),
  );
export const ThreadQueueListResponse = define(
  "ThreadQueueListResponse",
  object({
    data: array(QueuedTurn),
    nextCursor: nullable(string()),
    pauseReason: pauseReason(),
    heldUpBy: heldUpBy(),
  }),
);
export const ThreadQueueUpdateParams = define(
  "ThreadQueueUpdateParams",
  object({ threadId: string(), queuedSubmissionId: string(), input: array(UserInput) }),
);
export const ThreadQueueUpdateResponse = define(
  "ThreadQueueUpdateResponse",
  object({
    queuedSubmission: QueuedTurn,
    queuedTurn: heddle("The same entry as `queuedSubmission`.", QueuedTurn),
  }),
);
export const ThreadQueueDeleteParams = define(
  "ThreadQueueDeleteParams",
  requireEither(
    {
      threadId: string(),
      queuedSubmissionId: optional(string()),
      queuedTurnId: heddle("An alias of `queuedSubmissionId`.", optional(string())),
    },
    ["queuedTurnId"],
    ["queuedSubmissionId"],
  ),
);
export const ThreadQueueDeleteResponse = define("ThreadQueueDeleteResponse", object({ deleted: boolean() }));
const nextCursor = () => heddle("The cursor of the next page; absent on the last one.", optional(string()));
export const ThreadQueueReorderParams = define(
  "ThreadQueueReorderParams",
  requireEither(
    {
      threadId: string(),
      queuedSubmissionIds: optional(array(string())),
      queuedTurnIds: heddle("An alias of `queuedSubmissionIds`.", optional(array(string()))),
    },
    ["queuedTurnIds"],
    ["queuedSubmissionIds"],
  ),
);
export const ThreadQueueReorderResponse = define(
  "ThreadQueueReorderResponse",
  object({
    queuedTurns: heddle("The queue in its new order: its first page, as it is listed.", array(QueuedTurn)),
    nextCursor: nextCursor(),
  }),
);
export const ThreadQueueStartParams = define(
  "ThreadQueueStartParams",
  object({ threadId: string(), queuedSubmissionId: nullable(string()) }),
);
export const ThreadQueuePauseParams = define(
  "ThreadQueuePauseParams",
  object({ threadId: string(), reason: optional(string()) }),
);
export const ThreadQueuePauseResponse = define("ThreadQueuePauseResponse", object({}));
export const ThreadQueueResumeParams = define("ThreadQueueResumeParams", object({ threadId: string() }));
export const ThreadQueueResumeResponse = define("ThreadQueueResumeResponse", object({ resumed: boolean() }));
export const ThreadSubmitOutcome = define(
  "ThreadSubmitOutcome",
  tagged("type", {
    steered: { turnId: string() },
    started: { turn: Turn },
    queued: { queuedTurn: QueuedTurn, startedTurnId: startedTurnId() },
  }),
);
export const ThreadSubmitResponse = define("ThreadSubmitResponse", object({ outcome: ThreadSubmitOutcome }));
export const ThreadQueueStartResponse = define("ThreadQueueStartResponse", object({ turn: Turn }));
export const ThreadQueueChangedNotification = define(
  "ThreadQueueChangedNotification",
  object({
    threadId: string(),
    queuedTurns: heddle("The queue after the change: its first page, as it is listed.", array(QueuedTurn)),
    nextCursor: nextCursor(),
    pauseReason: pauseReason(),
    heldUpBy: heldUpBy(),
  }),
);

export const queueRequests = {
  "thread/queue/add": request({
    summary: "Appends a turn to a thread's queue; it starts when the thread is free.",
    stability: "experimental",
    scope: "operate",
    params: ThreadQueueAddParams,
    result: ThreadQueueAddResponse,
    order: byThread,
    idempotent: { key: "clientUserMessageId" },
    removed: permissionProfile("turnStartParams"),
    handlers: "queue",
  }),
  "thread/queue/list": request({
    summary: "Pages through the turns that wait in a thread's queue.",
    stability: "experimental",
    scope: "read",
    params: ThreadQueueListParams,
    result: ThreadQueueListResponse,
    order: byThread,
    idempotent: true,
    handlers: "queue",
  }),
  "thread/queue/update": request({
    summary: "Replaces the input of a waiting turn at its position.",
    stability: "experimental",
    scope: "operate",
    params: ThreadQueueUpdateParams,
    result: ThreadQueueUpdateResponse,
    order: byThread,
    handlers: "queue",
    isAudited: true,
  }),
  "thread/queue/delete": request({
    summary: "Removes a waiting turn from the queue.",
    stability: "experimental",
    scope: "operate",
    params: ThreadQueueDeleteParams,
    result: ThreadQueueDeleteResponse,
    order: byThread,
    handlers: "queue",
    isAudited: true,
  }),
  "thread/queue/reorder": request({
    summary: "Reorders all waiting turns.",
    stability: "experimental",
    scope: "operate",
    params: ThreadQueueReorderParams,
    result: ThreadQueueReorderResponse,
    order: byThread,
    handlers: "queue",
    isAudited: true,
  }),
  "thread/queue/start": request({
    summary: "Starts a waiting turn now: the first one, or a chosen one.",
    stability: "experimental",
    scope: "operate",
    params: ThreadQueueStartParams,
    result: ThreadQueueStartResponse,
    order: byThread,
    handlers: "queue",
    isAudited: true,
  }),
  "thread/queue/pause": request({
    summary: "Pauses the queue until it is resumed, even across restarts.",
    stability: "experimental",
    scope: "operate",
    params: ThreadQueuePauseParams,
    result: ThreadQueuePauseResponse,
    order: byThread,
    handlers: "queue",
    isAudited: true,
  }),
  "thread/queue/resume": request({
    summary: "Resumes a paused queue.",
    stability: "experimental",
    scope: "operate",
    params: ThreadQueueResumeParams,
    result: ThreadQueueResumeResponse,
    order: byThread,
    handlers: "queue",
    isAudited: true,
  }),
  "thread/submit": request({
    summary:
      "Submits a turn in any state of the thread: it joins the running turn, starts, or waits in the queue.",
    stability: "experimental",
    scope: "operate",
    params: TurnStartParams,
    result: ThreadSubmitResponse,
    order: byThread,
    removed: permissionProfile(),
    handlers: "queue",
  }),
};

export const queueNotifications = {
  "thread/queue/changed": notification({
    summary: "The queue of a thread changed.",
    stability: "experimental",
    params: ThreadQueueChangedNotification,
    audience: "thread",
  }),
};
