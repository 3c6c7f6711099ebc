import type { Clock } from "../../../base/clock.ts";
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
import {
  type NewSchedule,
  type RunOutcome,
  type ScheduleClaim,
  type Schedules,
  type StoredSchedule,
  THREAD_DELETED,
} from "../../schedules.ts";
import type { Connection } from "./connection.ts";

export interface SqliteSchedules {
  readonly schedules: Schedules;
  /** Disables the schedules of a deleted thread, within the caller's transaction. */
  drop(threadId: string): void;
  /** The threads that schedules run in, or will once they are resumed. */
  threads(): readonly string[];
}

const COUNT = "SELECT COUNT(*) AS total FROM schedules";
const THREADS = `
  SELECT DISTINCT thread_id FROM schedules WHERE thread_id IS NOT NULL AND state IN ('active', 'paused')`;
const INSERT = `
  INSERT INTO schedules
    (schedule_id, thread_id, plan, state, reason, next_at_ms, revision, created_at_ms, updated_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?) RETURNING *`;
const LIST = "SELECT * FROM schedules ORDER BY number LIMIT ? OFFSET ?";
const READ = "SELECT * FROM schedules WHERE schedule_id = ?";
const UPDATE = `
  UPDATE schedules SET thread_id = ?, plan = ?, state = ?, reason = ?, next_at_ms = ?, revision = revision + 1,
    updated_at_ms = ?
  WHERE schedule_id = ? AND revision = ? RETURNING *`;
const REMOVE = "DELETE FROM schedules WHERE schedule_id = ? RETURNING number";
const REMOVE_RUNS = "DELETE FROM schedule_runs WHERE schedule_id = ?";
const DUE = "SELECT * FROM schedules WHERE next_at_ms <= ? ORDER BY next_at_ms, number LIMIT ?";
const NEXT = "SELECT MIN(next_at_ms) AS next FROM schedules WHERE next_at_ms IS NOT NULL";
const CLAIM = `
  UPDATE schedules SET state = ?, reason = ?, next_at_ms = ?, revision = revision + 1, updated_at_ms = ?
  WHERE schedule_id = ? AND revision = ? RETURNING plan`;
const DISABLE = `
  UPDATE schedules SET state = 'disabled', reason = ?, next_at_ms = NULL, revision = revision + 1, updated_at_ms = ?
  WHERE thread_id = ?`;
const ADD_RUN = `
  INSERT INTO schedule_runs (run_key, schedule_id, scheduled_at_ms, thread_id, claimed_at_ms, work)
  VALUES (?, ?, ?, ?, ?, ?)`;
const LAST_RUN = "SELECT * FROM schedule_runs WHERE schedule_id = ? ORDER BY number DESC LIMIT 1";
// A claim from the future was made before the clock was set back.
const OPEN_RUNS = `
  SELECT * FROM schedule_runs WHERE work IS NOT NULL AND (claimed_at_ms <= ? OR claimed_at_ms > ?)
  ORDER BY number LIMIT ?`;
const FINISH = `
  UPDATE schedule_runs SET work = NULL, outcome = ? WHERE run_key = ? AND work IS NOT NULL
  RETURNING schedule_id, number`;
// Only the last closed run is shown.
const DROP_OLDER = `
  DELETE FROM schedule_runs WHERE schedule_id = ? AND work IS NULL AND number < (
    SELECT MAX(number) FROM schedule_runs WHERE schedule_id = ? AND work IS NULL)`;

/** Schedules in the tables `schedules` and `schedule_runs`. */
export function createSqliteSchedules(
  connection: Pick<Connection, "prepare" | "write">,
  clock: Pick<Clock, "now">,
): SqliteSchedules {
  const toSchedule = (found: unknown): StoredSchedule => {
    const row = found as ScheduleRow;
    const run = connection.prepare(LAST_RUN).get(row.schedule_id) as RunRow | undefined;
    return { ...readSchedule(row), lastRun: run === undefined ? null : toRun(run) };
  };

  function add(schedule: NewSchedule, maxSchedules: number): StoredSchedule | null {
    const { total } = connection.prepare(COUNT).get() as { readonly total: number };
    if (total >= maxSchedules) return null;
    const now = clock.now();
    const values = [schedule.scheduleId, ...columnsOf(schedule), now, now];
    return toSchedule(connection.prepare(INSERT).get(...values));
  }

  function claim(scheduleId: string, revision: number, { runs, state, nextAtMs }: ScheduleClaim): boolean {
    const now = clock.now();
    const values = [state.kind, disabledReason(state), nextAtMs, now, scheduleId, revision];
    const claimed = connection.prepare(CLAIM).get(...values) as Pick<ScheduleRow, "plan"> | undefined;
    if (claimed === undefined) return false;
    const work = workOf(claimed);
    for (const { runKey, scheduledAtMs, threadId } of runs)
      connection.prepare(ADD_RUN).run(runKey, scheduleId, scheduledAtMs, threadId, now, work);
    return true;
  }

  function finish(runKey: string, outcome: RunOutcome): boolean {
    const closed = connection.prepare(FINISH).get(JSON.stringify(outcome), runKey);
    if (closed === undefined) return false;
    const { schedule_id: scheduleId } = closed as Pick<RunRow, "schedule_id">;
    connection.prepare(DROP_OLDER).run(scheduleId, scheduleId);
    return true;
  }

  return {
    threads: () =>
      connection
        .prepare(THREADS)
        .all()
        .map((row) => (row as { readonly thread_id: string }).thread_id),
    drop: (threadId) => void connection.prepare(DISABLE).run(THREAD_DELETED, clock.now(), threadId),
    schedules: {
      async add(schedule, maxSchedules) {
        const added = connection.write(() => add(schedule, maxSchedules));
        return added === null ? { kind: "full" } : { kind: "added", schedule: added };
      },
      async list({ offset, limit }) {
        const { total } = connection.prepare(COUNT).get() as { readonly total: number };
        return { schedules: connection.prepare(LIST).all(limit, offset).map(toSchedule), total };
      },
      async read(scheduleId) {
        const found = connection.prepare(READ).get(scheduleId);
        return found === undefined ? null : toSchedule(found);
      },
      async update(scheduleId, revision, plan) {
        const values = [...columnsOf(plan), clock.now(), scheduleId, revision];
        const updated = connection.prepare(UPDATE).get(...values);
        return updated === undefined ? null : toSchedule(updated);
      },
      remove: async (scheduleId) =>
        connection.write(() => {
          connection.prepare(REMOVE_RUNS).run(scheduleId);
          return connection.prepare(REMOVE).get(scheduleId) !== undefined;
        }),
      due: async (limit) => connection.prepare(DUE).all(clock.now(), limit).map(toSchedule),
      nextAtMs: async () => (connection.prepare(NEXT).get() as { readonly next: number | null }).next,
      claim: async (scheduleId, revision, wanted) =>
        connection.write(() => claim(scheduleId, revision, wanted)),
      async openRuns({ minAgeMs, limit }) {
        const now = clock.now();
        return connection
          .prepare(OPEN_RUNS)
          .all(now - minAgeMs, now, limit)
          .map((row) => toOpenRun(row as RunRow));
      },
      finish: async (runKey, outcome) => connection.write(() => finish(runKey, outcome)),
    },
  };
}
