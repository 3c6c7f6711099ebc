/** Claims the runs of schedules: those that are due, and one that a client asks for now. */
import type { Clock } from "../../base/clock.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { NewRun, OpenRun, ScheduleClaim, Schedules, StoredSchedule } from "../../store/schedules.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";
import { type CronTimes, readCron } from "./cron-times.ts";
import { ONCE, planScheduledRuns } from "./plan-runs.ts";

export interface ClaimParts {
  readonly schedules: Pick<Schedules, "claim">;
  readonly clock: Clock;
  readonly createId: () => string;
}

/** The times of a schedule; a refusal if it has none from now on. */
export async function timesOf(
  { when }: Pick<StoredSchedule, "when">,
  nowMs: number,
): Promise<CronTimes | ThreadRefusal> {
  return when.type === "once" ? ONCE : readCron(when, nowMs);
}

/** The runs of a due schedule; none if another server has claimed them. */
export async function claimDue(schedule: StoredSchedule, parts: ClaimParts): Promise<readonly OpenRun[]> {
  const { nextAtMs: dueAtMs, missed } = schedule;
  const nowMs = parts.clock.now();
  if (dueAtMs === null || dueAtMs > nowMs) return [];
  // From the scheduled time, because a line may have its last run just now.
  const times = await timesOf(schedule, dueAtMs - 1);
  if (isRefusal(times)) {
    // The zones of this machine have changed since the schedule was made.
    const state = { kind: "disabled", reason: times.message } as const;
    return claim(schedule, { runs: [], state, nextAtMs: null }, parts);
  }
  const planned = planScheduledRuns({ dueAtMs, missed, times }, nowMs);
  const runs = planned.times.map((at) => runOf(schedule, at, new Date(at).toISOString(), parts));
  const { nextAtMs } = planned;
  const state = { kind: nextAtMs === null ? "finished" : "active" } as const;
  return claim(schedule, { runs, state, nextAtMs }, parts);
}

/** A run beside the times of the schedule; null if it was changed meanwhile. */
export async function claimNow(schedule: StoredSchedule, parts: ClaimParts): Promise<OpenRun | null> {
  const { state, nextAtMs } = schedule;
  const run = runOf(schedule, parts.clock.now(), `now:${parts.createId()}`, parts);
  const [open] = await claim(schedule, { runs: [run], state, nextAtMs }, parts);
  return open ?? null;
}

async function claim(
  { scheduleId, revision, work }: StoredSchedule,
  wanted: ScheduleClaim,
  { schedules, clock }: ClaimParts,
): Promise<readonly OpenRun[]> {
  const isOurs = await schedules.claim(scheduleId, revision, wanted);
  const claimedAtMs = clock.now();
  return isOurs ? wanted.runs.map((run) => ({ ...run, scheduleId, claimedAtMs, work })) : [];
}

function runOf(
  { scheduleId, work }: StoredSchedule,
  scheduledAtMs: number,
  tick: string,
  parts: ClaimParts,
): NewRun {
  const { target } = work;
  return {
    runKey: `schedule:${scheduleId}:${tick}`,
    scheduledAtMs,
    threadId: target.type === "thread" ? target.threadId : parts.createId(),
  };
}
