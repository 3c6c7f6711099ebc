/** Converts schedules to the wire. */
import type {
  ScheduleRun as RunView,
  Schedule as ScheduleView,
  ScheduleTarget as TargetView,
  ThreadStartParams,
  ScheduleTime as TimeView,
  UserInput,
} from "../../protocol/generated/types.ts";
import type {
  RunOutcome,
  ScheduledTarget,
  ScheduledTime,
  StoredRun,
  StoredSchedule,
} from "../../store/schedules.ts";
import { senderOf } from "../threads/sender.ts";

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** The subject of the client that created a schedule; null without one. */
export function ownerOf({ work }: Pick<StoredSchedule, "work">): string | null {
  return senderOf(work.turn);
}

export function showSchedule({
  scheduleId,
  when,
  work,
  state,
  lastRun,
  ...rest
}: StoredSchedule): ScheduleView {
  const { name, missed, nextAtMs, createdAtMs, updatedAtMs } = rest;
  const owner = ownerOf({ work });
  return {
    id: scheduleId,
    name,
    schedule: showTime(when),
    target: showTarget(work.target),
    // It was checked when the schedule was made.
    input: work.turn["input"] as UserInput[],
    missedRuns: missed,
    status: state.kind === "disabled" ? { type: state.kind, reason: state.reason } : { type: state.kind },
    nextRunAt: nextAtMs === null ? null : seconds(nextAtMs),
    lastRun: lastRun === null ? null : showRun(lastRun),
    ...(owner !== null && { owner }),
    createdAt: seconds(createdAtMs),
    updatedAt: seconds(updatedAtMs),
  };
}

export function showRun(run: StoredRun): RunView {
  return {
    scheduledAt: seconds(run.scheduledAtMs),
    claimedAt: seconds(run.claimedAtMs),
    threadId: run.threadId,
    clientUserMessageId: run.runKey,
    status: showOutcome(run.outcome),
  };
}

function showOutcome(outcome: RunOutcome | null): RunView["status"] {
  if (outcome === null) return { type: "starting" };
  return outcome.kind === "queued"
    ? { type: "queued", queuedTurnId: outcome.rowId }
    : { type: "failed", message: outcome.message };
}

function showTime(when: ScheduledTime): TimeView {
  return when.type === "cron" ? when : { type: "once", at: seconds(when.atMs) };
}

function showTarget(target: ScheduledTarget): TargetView {
  if (target.type === "thread") return target;
  return { type: "newThread", threadStartParams: target.params as unknown as ThreadStartParams };
}
