/** Reads what a client says about a schedule. Whatever is wrong is refused here, before anything is stored. */
import type { JsonObject } from "../../base/json-object.ts";
import { isRefusal } from "../../base/refusal.ts";
import type {
  ScheduleCreateParams,
  ScheduleTarget as TargetParams,
  ScheduleTime as TimeParams,
} from "../../protocol/generated/types.ts";
import type { ScheduledTarget, ScheduledTime, SchedulePlan } from "../../store/schedules.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { readQueuedInput } from "../queue/queue-entry.ts";
import { refuseQueueTarget, type TargetParts } from "../queue/queue-target.ts";
import { type ResolutionDeps, resolveThread } from "../threads/resolve-thread.ts";
import { type Signed, sign } from "../threads/sender.ts";
import { parseThreadId } from "../threads/thread-id.ts";
import { timesOf } from "./claim-runs.ts";
import { MAX_SCHEDULE_BYTES, MAX_SCHEDULE_NAME } from "./schedule-limits.ts";

export interface PlanParts extends TargetParts {
  readonly resolution: ResolutionDeps;
  readonly nowMs: number;
}

/** Everything that a client decides about a schedule; an update has the present values of what it leaves out. */
export type PlanParams = Required<Pick<ScheduleCreateParams, "schedule" | "target" | "input">> &
  Pick<ScheduleCreateParams, "name" | "missedRuns"> &
  Required<Signed> & { readonly isPaused: boolean };

/** `lastAtMs` is the time of the last run; an active schedule runs next after it. */
export async function readPlan(
  params: PlanParams,
  lastAtMs: number,
  parts: PlanParts,
): Promise<SchedulePlan | ThreadRefusal> {
  const { isPaused, missedRuns, sentBy } = params;
  const name = readName(params.name ?? null);
  if (isRefusal(name)) return name;
  const when = readTime(params.schedule);
  const nextAtMs = await findNext(when, lastAtMs, parts.nowMs);
  if (isRefusal(nextAtMs)) return nextAtMs;
  const input = await readQueuedInput(params.input);
  if (isRefusal(input)) return input;
  const target = await readTarget(params.target, parts);
  if (isRefusal(target)) return target;
  const work = { target, turn: sign({ input }, sentBy) as unknown as JsonObject };
  const plan: SchedulePlan = {
    name,
    when,
    work,
    missed: missedRuns ?? "once",
    state: { kind: isPaused ? "paused" : "active" },
    nextAtMs: isPaused ? null : nextAtMs,
  };
  if (Buffer.byteLength(JSON.stringify(plan)) > MAX_SCHEDULE_BYTES)
    return refuseInvalid(
      `the schedule is too large: its JSON may have ${MAX_SCHEDULE_BYTES} bytes, images of the input included`,
    );
  return plan;
}

/** An empty name is none. */
export function readName(given: string | null): string | null | ThreadRefusal {
  const name = given?.trim() || null;
  if (name === null || name.length <= MAX_SCHEDULE_NAME) return name;
  return refuseInvalid(`the name is too long: it may have ${MAX_SCHEDULE_NAME} characters`);
}

function readTime(given: TimeParams): ScheduledTime {
  if (given.type === "once") return { type: "once", atMs: given.at * 1000 };
  return { type: "cron", expression: given.expression.trim(), timeZone: given.timeZone };
}

/** The last second of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_000;

async function findNext(
  when: ScheduledTime,
  lastAtMs: number,
  nowMs: number,
): Promise<number | ThreadRefusal> {
  if (when.type === "once") {
    if (when.atMs > MAX_TIME_MS) return refuseInvalid("`at` is not a Unix time in seconds");
    if (when.atMs <= nowMs) return refuseInvalid("`at` has passed: a schedule needs a time to come");
    return when.atMs;
  }
  const after = Math.max(nowMs, lastAtMs);
  const times = await timesOf({ when }, after);
  if (isRefusal(times)) return times;
  return times.next(after) ?? refuseInvalid(`the cron line \`${when.expression}\` never runs again`);
}

async function readTarget(given: TargetParams, parts: PlanParts): Promise<ScheduledTarget | ThreadRefusal> {
  if (given.type === "thread") {
    const threadId = parseThreadId(given.threadId);
    if (isRefusal(threadId)) return threadId;
    return (await refuseQueueTarget(threadId, parts)) ?? { type: "thread", threadId };
  }
  const { threadStartParams: params } = given;
  if (params.ephemeral === true)
    return refuseInvalid("a scheduled thread cannot be ephemeral: its turn waits in a durable queue");
  if ((params.dynamicTools ?? []).length > 0)
    return refuseInvalid("a scheduled thread cannot have dynamic tools: no client is there to run them");
  // Faults of the params show now, and not at night.
  const resolved = await resolveThread(params, parts.resolution);
  return isRefusal(resolved) ? resolved : { type: "newThread", params: params as unknown as JsonObject };
}
