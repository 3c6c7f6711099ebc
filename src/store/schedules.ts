/**
 * The port for schedules. A schedule knows the time of its next run. Claiming runs is one compare-and-set: it records
 * the runs and moves the schedule to its next time, so that a time runs once, whichever servers look and whenever they
 * die. A claimed run stays open, with all that is needed to complete it, until `finish`; any server may complete it,
 * because its key is the idempotency key of the queued turn. Timestamps of records come from the store's clock.
 */
import type { JsonObject } from "../base/json-object.ts";

export interface Schedules {
  /** Adds a schedule, unless there are `maxSchedules`. */
  add(schedule: NewSchedule, maxSchedules: number): Promise<AddScheduleOutcome>;
  /** In the order of their creation. */
  list(page: SchedulePage): Promise<ScheduleList>;
  /** Null if there is no such schedule. */
  read(scheduleId: string): Promise<StoredSchedule | null>;
  /** Replaces the plan; null if the schedule is gone or was changed since `revision` was read. */
  update(scheduleId: string, revision: number, plan: SchedulePlan): Promise<StoredSchedule | null>;
  /** Removes a schedule with its open runs; false if there is none. */
  remove(scheduleId: string): Promise<boolean>;
  /** The active schedules whose time has come, longest due first. */
  due(limit: number): Promise<readonly StoredSchedule[]>;
  /** The earliest next run of all active schedules, which may be past; null if there is none. */
  nextAtMs(): Promise<number | null>;
  /**
   * Records the runs and sets what follows them; false if the schedule is gone or was changed since `revision` was read,
   * in which case nothing is recorded.
   */
  claim(scheduleId: string, revision: number, claim: ScheduleClaim): Promise<boolean>;
  /** Open runs that were claimed at least so long ago, oldest first. Those from the future count as old. */
  openRuns(query: { readonly minAgeMs: number; readonly limit: number }): Promise<readonly OpenRun[]>;
  /** Closes an open run; false if it is not open any more. */
  finish(runKey: string, outcome: RunOutcome): Promise<boolean>;
}

/** Everything about a schedule that its owner decides, and what follows from it. */
export interface SchedulePlan {
  readonly name: string | null;
  readonly when: ScheduledTime;
  readonly work: ScheduledWork;
  readonly missed: MissedPolicy;
  readonly state: ScheduleState;
  /** Null unless the schedule is active. */
  readonly nextAtMs: number | null;
}

export interface NewSchedule extends SchedulePlan {
  readonly scheduleId: string;
}

export interface StoredSchedule extends NewSchedule {
  /** Grows with each change. */
  readonly revision: number;
  /** The latest run; null before the first one. */
  readonly lastRun: StoredRun | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export type ScheduledTime =
  | { readonly type: "cron"; readonly expression: string; readonly timeZone: string }
  | { readonly type: "once"; readonly atMs: number };

/** The treatment of runs whose time has passed while no server was there. */
export type MissedPolicy = "skip" | "once" | "all";

export type ScheduleState =
  | { readonly kind: "active" | "paused" }
  /** The server has stopped it. */
  | { readonly kind: "disabled"; readonly reason: string }
  /** A run at one time is over. */
  | { readonly kind: "finished" };

/** A turn, and the thread that it runs in. */
export interface ScheduledWork {
  readonly target: ScheduledTarget;
  /** The params of the turn, in wire form, without a thread. */
  readonly turn: JsonObject;
}

export type ScheduledTarget =
  | { readonly type: "thread"; readonly threadId: string }
  /** Each run gets a new thread; the params are those of `thread/start`, in wire form. */
  | { readonly type: "newThread"; readonly params: JsonObject };

export interface NewRun {
  /** The idempotency key of the queued turn, unique among all runs. */
  readonly runKey: string;
  /** The time that the run belongs to. */
  readonly scheduledAtMs: number;
  /** The thread of the run; that of a new one is chosen before it is made, so that it is made once. */
  readonly threadId: string;
}

export interface ScheduleClaim {
  readonly runs: readonly NewRun[];
  readonly state: ScheduleState;
  readonly nextAtMs: number | null;
}

export interface StoredRun extends NewRun {
  readonly claimedAtMs: number;
  /** Null while the run is open. */
  readonly outcome: RunOutcome | null;
}

/** A claimed run whose turn may not be in the queue yet. */
export interface OpenRun extends NewRun {
  readonly scheduleId: string;
  readonly claimedAtMs: number;
  /** As it was when the run was claimed. */
  readonly work: ScheduledWork;
}

export type RunOutcome =
  /** The row is in the queue of the thread, or its turn has started. */
  { readonly kind: "queued"; readonly rowId: string } | { readonly kind: "failed"; readonly message: string };

export type AddScheduleOutcome =
  | { readonly kind: "added"; readonly schedule: StoredSchedule }
  | { readonly kind: "full" };

export interface SchedulePage {
  readonly offset: number;
  readonly limit: number;
}

export interface ScheduleList {
  readonly schedules: readonly StoredSchedule[];
  readonly total: number;
}

/** The reason of schedules whose thread was deleted. */
export const THREAD_DELETED = "its thread was deleted";
