// Schedules: turns that are queued at given times, in an existing thread or in a new one for each run.

import { UserInput } from "./input.ts";
import { exclusive, free, notification, request } from "./row.ts";
import {
  array,
  boolean,
  choice,
  define,
  described,
  i64,
  nullable,
  object,
  optional,
  string,
  tagged,
  u32,
} from "./shape.ts";
import { ThreadStartParams } from "./thread-start.ts";

export const ScheduleTime = define(
  "ScheduleTime",
  tagged("type", {
    cron: {
      expression: described(
        "Five fields: minute, hour, day of month, month and day of week, as `30 2 * * 1-5`.",
        string(),
      ),
      timeZone: described("A name of the IANA database, as `Europe/Berlin`.", string()),
    },
    once: { at: described("Unix time in seconds.", i64()) },
  }),
  "When a schedule runs.",
);
export const ScheduleTarget = define(
  "ScheduleTarget",
  tagged("type", {
    thread: { threadId: string() },
    newThread: { threadStartParams: ThreadStartParams },
  }),
  "Where a schedule runs: in an existing thread, or in a new thread for each run.",
);
export const MissedRuns = define(
  "MissedRuns",
  choice("skip", "once", "all"),
  "What happens with runs whose time has passed while no server was there: none, one for all of them, or each of the latest 24.",
);
export const ScheduleStatus = define(
  "ScheduleStatus",
  tagged("type", { active: {}, paused: {}, disabled: { reason: string() }, finished: {} }),
  "The server disables a schedule that cannot run, with the reason; a schedule with a single time is finished after it.",
);
export const ScheduleRunStatus = define(
  "ScheduleRunStatus",
  tagged("type", {
    starting: {},
    queued: { queuedTurnId: string() },
    failed: { message: string() },
  }),
);
export const ScheduleRun = define(
  "ScheduleRun",
  object({
    scheduledAt: described("The time that the run belongs to, in seconds.", i64()),
    claimedAt: described("When a server took it, in seconds.", i64()),
    threadId: string(),
    clientUserMessageId: described("The idempotency key of the queued turn.", string()),
    status: ScheduleRunStatus,
  }),
  "A run of a schedule. How its turn ended is in its thread.",
);
export const Schedule = define(
  "Schedule",
  object({
    id: string(),
    name: nullable(string()),
    schedule: ScheduleTime,
    target: ScheduleTarget,
    input: array(UserInput),
    missedRuns: MissedRuns,
    status: ScheduleStatus,
    nextRunAt: described("Unix time in seconds; null unless the schedule is active.", nullable(i64())),
    lastRun: nullable(ScheduleRun),
    owner: described("The subject of the token of who created it; absent without one.", optional(string())),
    createdAt: i64(),
    updatedAt: i64(),
  }),
  "A turn that is queued at given times. A server that starts queued turns by itself (`heddle serve`) runs it.",
);

export const ScheduleCreateParams = define(
  "ScheduleCreateParams",
  object({
    name: nullable(string()),
    schedule: ScheduleTime,
    target: ScheduleTarget,
    input: array(UserInput),
    missedRuns: described("`once` by default.", nullable(MissedRuns)),
    paused: described("Whether it waits for a resume.", optional(boolean())),
  }),
);
export const ScheduleCreateResponse = define("ScheduleCreateResponse", object({ schedule: Schedule }));
export const ScheduleListParams = define(
  "ScheduleListParams",
  object({ cursor: nullable(string()), limit: nullable(u32()) }),
);
export const ScheduleListResponse = define(
  "ScheduleListResponse",
  object({ data: array(Schedule), nextCursor: nullable(string()) }),
);
export const ScheduleUpdateParams = define(
  "ScheduleUpdateParams",
  object({
    scheduleId: string(),
    name: nullable(string()),
    schedule: nullable(ScheduleTime),
    target: nullable(ScheduleTarget),
    input: nullable(array(UserInput)),
    missedRuns: nullable(MissedRuns),
    paused: described(
      "True pauses it. False resumes it, also after the server has disabled it; runs of the meantime are not caught up.",
      nullable(boolean()),
    ),
  }),
  "Absent members are unchanged.",
);
export const ScheduleUpdateResponse = define("ScheduleUpdateResponse", object({ schedule: Schedule }));
export const ScheduleDeleteParams = define("ScheduleDeleteParams", object({ scheduleId: string() }));
export const ScheduleDeleteResponse = define("ScheduleDeleteResponse", object({ deleted: boolean() }));
export const ScheduleRunNowParams = define("ScheduleRunNowParams", object({ scheduleId: string() }));
export const ScheduleRunNowResponse = define("ScheduleRunNowResponse", object({ run: ScheduleRun }));
export const ScheduleChangedNotification = define(
  "ScheduleChangedNotification",
  object({
    scheduleId: string(),
    schedule: described("Null if it was deleted.", nullable(Schedule)),
  }),
);

const changes = exclusive("schedules");

export const scheduleRequests = {
  "schedule/create": request({
    summary: "Creates a schedule: a cron line with a time zone or one time, where it runs, and what is said.",
    stability: "experimental",
    scope: "operate",
    params: ScheduleCreateParams,
    result: ScheduleCreateResponse,
    order: changes,
    handlers: "schedules",
    isAudited: true,
  }),
  "schedule/list": request({
    summary: "Pages through the schedules of the home, with their last and next runs.",
    stability: "experimental",
    scope: "read",
    params: ScheduleListParams,
    result: ScheduleListResponse,
    order: free,
    idempotent: true,
    handlers: "schedules",
  }),
  "schedule/update": request({
    summary: "Changes, pauses or resumes a schedule.",
    stability: "experimental",
    scope: "operate",
    params: ScheduleUpdateParams,
    result: ScheduleUpdateResponse,
    order: changes,
    handlers: "schedules",
    isAudited: true,
  }),
  "schedule/delete": request({
    summary: "Deletes a schedule. Turns that it has queued stay.",
    stability: "experimental",
    scope: "operate",
    params: ScheduleDeleteParams,
    result: ScheduleDeleteResponse,
    order: changes,
    handlers: "schedules",
    isAudited: true,
  }),
  "schedule/runNow": request({
    summary: "Queues the turn of a schedule now, also of a paused one; its times stay as they are.",
    stability: "experimental",
    scope: "operate",
    params: ScheduleRunNowParams,
    result: ScheduleRunNowResponse,
    order: free,
    handlers: "schedules",
    isAudited: true,
  }),
};

export const scheduleNotifications = {
  "schedule/changed": notification({
    summary: "A schedule was created, changed, run or deleted by this server.",
    stability: "experimental",
    params: ScheduleChangedNotification,
    audience: "all",
  }),
};
