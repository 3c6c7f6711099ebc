/** Rows of schedules and of their runs, as databases have them. */
import type {
  OpenRun,
  RunOutcome,
  SchedulePlan,
  ScheduleState,
  StoredRun,
  StoredSchedule,
} from "../schedules.ts";

export interface ScheduleRow {
  readonly schedule_id: string;
  readonly plan: string;
  readonly state: ScheduleState["kind"];
  readonly reason: string | null;
  readonly next_at_ms: number | null;
  readonly revision: number;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

export interface RunRow {
  readonly run_key: string;
  readonly schedule_id: string;
  readonly scheduled_at_ms: number;
  readonly thread_id: string;
  readonly claimed_at_ms: number;
  readonly work: string | null;
  readonly outcome: string | null;
}

/** Kept as JSON, because no query needs it. */
type StoredPlan = Pick<SchedulePlan, "name" | "when" | "work" | "missed">;

export const disabledReason = (state: ScheduleState): string | null =>
  state.kind === "disabled" ? state.reason : null;

export function columnsOf({ name, when, work, missed, state, nextAtMs }: SchedulePlan) {
  const { target } = work;
  const threadId = target.type === "thread" ? target.threadId : null;
  const plan: StoredPlan = { name, when, work, missed };
  return [threadId, JSON.stringify(plan), state.kind, disabledReason(state), nextAtMs];
}

export function readSchedule(row: ScheduleRow): Omit<StoredSchedule, "lastRun"> {
  const { name, when, work, missed } = JSON.parse(row.plan) as StoredPlan;
  return {
    scheduleId: row.schedule_id,
    name,
    when,
    work,
    missed,
    state: row.state === "disabled" ? { kind: row.state, reason: row.reason ?? "" } : { kind: row.state },
    nextAtMs: row.next_at_ms,
    revision: row.revision,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

export function toRun(row: RunRow): StoredRun {
  return {
    runKey: row.run_key,
    scheduledAtMs: row.scheduled_at_ms,
    threadId: row.thread_id,
    claimedAtMs: row.claimed_at_ms,
    outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as RunOutcome),
  };
}

export function toOpenRun(row: RunRow): OpenRun {
  const { runKey, scheduledAtMs, threadId, claimedAtMs } = toRun(row);
  const work = JSON.parse(row.work ?? "null") as OpenRun["work"];
  return { runKey, scheduledAtMs, threadId, claimedAtMs, scheduleId: row.schedule_id, work };
}

/** The work of a schedule, as it is kept with its runs. */
export function workOf({ plan }: Pick<ScheduleRow, "plan">): string {
  return JSON.stringify((JSON.parse(plan) as StoredPlan).work);
}
