// The durable queue of turns of a thread. Two generations of clients call these methods with different
// params; both are taken, and every answer has the members of both.

import { UserInput } from "./input.ts";
import { byThread, notification, permissionProfile, request } from "./row.ts";
import {
  array,
  boolean,
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
    turnStartParams: heddle("Everything that the turn will start with.", TurnStartParams),
    status: heddle("Whether the turn waits, or could not be started and blocks the queue.", QueuedTurnStatus),
    notBefore: heddle(
      "Unix time in seconds before which it does not start; only there where one was given.",
      optional(i64()),
    ),
    isOutline: heddle(
      "True where `input` and what else it starts with are left out because they are large; `thread/queue/list` has them.",
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
        "Unix time in seconds before which it does not start; those behind it wait as well.",
        optional(i64()),
      ),
    },
    ["turnStartParams"],
    ["input", "clientUserMessageId"],
  ),
);
const startedTurnId = () =>
  heddle(
    "The turn that an entry with this `clientUserMessageId` has become; only there where it has started before, and then nothing was added.",
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
const pauseReason = () =>
  heddle("Why no further turn starts by itself; only there while the queue is paused.", optional(string()));
export const QueueHold = define(
  "QueueHold",
  tagged("type", {
    question: { turnId: string() },
    paused: { reason: string() },
    failed: { queuedTurnId: string() },
    notBefore: { notBefore: i64() },
    turn: { turnId: string() },
    elsewhere: {},
    noServer: {},
  }),
  "What keeps the first turn of a queue from starting: a question of the turn that runs, a pause, its own failure, its time, the turn that runs, another process that has the thread, or that no server loads it without a client.",
);
const heldUpBy = () =>
  heddle(
    "Why the first turn that waits does not start at the moment; absent where nothing waits or it is about to.",
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
      queuedTurnId: heddle("Another name of `queuedSubmissionId`.", optional(string())),
    },
    ["queuedTurnId"],
    ["queuedSubmissionId"],
  ),
);
export const ThreadQueueDeleteResponse = define("ThreadQueueDeleteResponse", object({ deleted: boolean() }));
const nextCursor = () =>
  heddle("Where the next page begins; only there where there is one.", optional(string()));
export const ThreadQueueReorderParams = define(
  "ThreadQueueReorderParams",
  requireEither(
    {
      threadId: string(),
      queuedSubmissionIds: optional(array(string())),
      queuedTurnIds: heddle("Another name of `queuedSubmissionIds`.", optional(array(string()))),
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
    summary: "Puts a turn at the end of a thread's queue; it starts when the thread is free.",
    stability: "experimental",
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
    params: ThreadQueueListParams,
    result: ThreadQueueListResponse,
    order: byThread,
    idempotent: true,
    handlers: "queue",
  }),
  "thread/queue/update": request({
    summary: "Replaces the input of a waiting turn and keeps its place.",
    stability: "experimental",
    params: ThreadQueueUpdateParams,
    result: ThreadQueueUpdateResponse,
    order: byThread,
    handlers: "queue",
  }),
  "thread/queue/delete": request({
    summary: "Takes a waiting turn out of the queue.",
    stability: "experimental",
    params: ThreadQueueDeleteParams,
    result: ThreadQueueDeleteResponse,
    order: byThread,
    handlers: "queue",
  }),
  "thread/queue/reorder": request({
    summary: "Puts all waiting turns in a new order.",
    stability: "experimental",
    params: ThreadQueueReorderParams,
    result: ThreadQueueReorderResponse,
    order: byThread,
    handlers: "queue",
  }),
  "thread/queue/start": request({
    summary: "Starts a waiting turn now: the first one, or a chosen one.",
    stability: "experimental",
    params: ThreadQueueStartParams,
    result: ThreadQueueStartResponse,
    order: byThread,
    handlers: "queue",
  }),
  "thread/queue/pause": request({
    summary: "Keeps waiting turns from starting, also after a restart, until the queue is resumed.",
    stability: "experimental",
    params: ThreadQueuePauseParams,
    result: ThreadQueuePauseResponse,
    order: byThread,
    handlers: "queue",
  }),
  "thread/queue/resume": request({
    summary: "Lets the turns of a paused queue start again.",
    stability: "experimental",
    params: ThreadQueueResumeParams,
    result: ThreadQueueResumeResponse,
    order: byThread,
    handlers: "queue",
  }),
  "thread/submit": request({
    summary:
      "Hands a turn in, whatever the thread is doing: it joins the turn that runs, or starts, or waits in the queue.",
    stability: "experimental",
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
