/** Schedules in PostgreSQL. */

import {
  columnsOf,
  disabledReason,
  type RunRow,
  readSchedule,
  type ScheduleRow,
  toOpenRun,
  toRun,
  workOf,
} from "../../rows/schedule-rows.ts";
import { type ScheduleClaim, type Schedules, type StoredSchedule, THREAD_DELETED } from "../../schedules.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import { lockLimit } from "./lock-limit.ts";

const COUNT = "SELECT count(*) AS total FROM schedule";
const INSERT = `
  INSERT INTO schedule (schedule_id, thread_id, plan, state, reason, next_at_ms, revision, created_at_ms, updated_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $7) RETURNING *`;
const LIST = "SELECT * FROM schedule ORDER BY number LIMIT $1 OFFSET $2";
const READ = "SELECT * FROM schedule WHERE schedule_id = $1";
const UPDATE = `
  UPDATE schedule SET thread_id = $3, plan = $4, state = $5, reason = $6, next_at_ms = $7, revision = revision + 1,
    updated_at_ms = $8
  WHERE schedule_id = $1 AND revision = $2 RETURNING *`;
const REMOVE = "DELETE FROM schedule WHERE schedule_id = $1 RETURNING number";
const REMOVE_RUNS = "DELETE FROM schedule_run WHERE schedule_id = $1";
const DUE = "SELECT * FROM schedule WHERE next_at_ms <= $1 ORDER BY next_at_ms, number LIMIT $2";
const NEXT = "SELECT min(next_at_ms) AS next FROM schedule WHERE next_at_ms IS NOT NULL";
const CLAIM = `
  UPDATE schedule SET state = $3, reason = $4, next_at_ms = $5, revision = revision + 1, updated_at_ms = $6
  WHERE schedule_id = $1 AND revision = $2 RETURNING plan`;
const DISABLE = `
  UPDATE schedule SET state = 'disabled', reason = $2, next_at_ms = NULL, revision = revision + 1, updated_at_ms = $3
  WHERE thread_id = $1`;
const ADD_RUN = `
  INSERT INTO schedule_run (run_key, schedule_id, scheduled_at_ms, thread_id, claimed_at_ms, work)
  VALUES ($1, $2, $3, $4, $5, $6)`;
const LAST_RUN = "SELECT * FROM schedule_run WHERE schedule_id = $1 ORDER BY number DESC LIMIT 1";
// A claim from the future was made before the clock was set back.
const OPEN_RUNS = `
  SELECT * FROM schedule_run WHERE work IS NOT NULL AND (claimed_at_ms <= $1 OR claimed_at_ms > $2)
  ORDER BY number LIMIT $3`;
const FINISH = `
  UPDATE schedule_run SET work = NULL, outcome = $2 WHERE run_key = $1 AND work IS NOT NULL
  RETURNING schedule_id`;
// Only the last closed run is shown.
const DROP_OLDER = `
  DELETE FROM schedule_run WHERE schedule_id = $1 AND work IS NULL AND number < (
    SELECT max(number) FROM schedule_run WHERE schedule_id = $1 AND work IS NULL)`;

export interface PostgresSchedules {
  readonly schedules: Schedules;
  /** Disables the schedules of a deleted thread, within a transaction of the caller. */
  drop(statements: Statements, threadId: string): Promise<void>;
}

export function createPostgresSchedules(database: PostgresDatabase): PostgresSchedules {
  const { query, transaction, time } = database;
  const totalOf = async (statements: Statements) =>
    (await statements.query<{ readonly total: number }>(COUNT))[0]?.total ?? 0;

  return {
    drop: async (statements, threadId) =>
      void (await statements.query(DISABLE, threadId, THREAD_DELETED, time.now())),
    schedules: {
      add: (schedule, maxSchedules) =>
        transaction(async (statements) => {
          await lockLimit(statements, "schedules");
          if ((await totalOf(statements)) >= maxSchedules) return { kind: "full" };
          const values = [schedule.scheduleId, ...columnsOf(schedule), time.now()];
          const [row] = await statements.query<ScheduleRow>(INSERT, ...values);
          return { kind: "added", schedule: await toSchedule(statements, row as ScheduleRow) };
        }),
      async list({ offset, limit }) {
        const rows = await query<ScheduleRow>(LIST, limit, offset);
        const schedules = await Promise.all(rows.map((row) => toSchedule(database, row)));
        return { schedules, total: await totalOf(database) };
      },
      async read(scheduleId) {
        const [row] = await query<ScheduleRow>(READ, scheduleId);
        return row === undefined ? null : toSchedule(database, row);
      },
      update: (scheduleId, revision, plan) =>
        transaction(async (statements) => {
          const values = [scheduleId, revision, ...columnsOf(plan), time.now()];
          const [row] = await statements.query<ScheduleRow>(UPDATE, ...values);
          return row === undefined ? null : toSchedule(statements, row);
        }),
      remove: (scheduleId) =>
        transaction(async (statements) => {
          await statements.query(REMOVE_RUNS, scheduleId);
          return (await statements.query(REMOVE, scheduleId)).length > 0;
        }),
      async due(limit) {
        const rows = await query<ScheduleRow>(DUE, time.now(), limit);
        return Promise.all(rows.map((row) => toSchedule(database, row)));
      },
      nextAtMs: async () => (await query<{ readonly next: number | null }>(NEXT))[0]?.next ?? null,
      claim: (scheduleId, revision, wanted) =>
        transaction((statements) => claim(statements, { scheduleId, revision }, wanted, time.now())),
      async openRuns({ minAgeMs, limit }) {
        const now = time.now();
        return (await query<RunRow>(OPEN_RUNS, now - minAgeMs, now, limit)).map(toOpenRun);
      },
      finish: (runKey, outcome) =>
        transaction(async (statements) => {
          const values = [runKey, JSON.stringify(outcome)];
          const [closed] = await statements.query<Pick<RunRow, "schedule_id">>(FINISH, ...values);
          if (closed === undefined) return false;
          await statements.query(DROP_OLDER, closed.schedule_id);
          return true;
        }),
    },
  };
}

async function claim(
  { query }: Statements,
  { scheduleId, revision }: Pick<StoredSchedule, "scheduleId" | "revision">,
  { runs, state, nextAtMs }: ScheduleClaim,
  now: number,
): Promise<boolean> {
  const values = [scheduleId, revision, state.kind, disabledReason(state), nextAtMs, now];
  const [claimed] = await query<Pick<ScheduleRow, "plan">>(CLAIM, ...values);
  if (claimed === undefined) return false;
  const work = workOf(claimed);
  for (const { runKey, scheduledAtMs, threadId } of runs)
    await query(ADD_RUN, runKey, scheduleId, scheduledAtMs, threadId, now, work);
  return true;
}

async function toSchedule({ query }: Statements, row: ScheduleRow): Promise<StoredSchedule> {
  const [run] = await query<RunRow>(LAST_RUN, row.schedule_id);
  return { ...readSchedule(row), lastRun: run === undefined ? null : toRun(run) };
}
