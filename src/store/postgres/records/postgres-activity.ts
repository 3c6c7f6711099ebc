/** Sums over all threads in PostgreSQL. They are counted in the commit of their lines, so that none are pending. */
import type { HookRunSummary } from "../../../protocol/generated/types.ts";
import {
  type Activity,
  type HookRunQuery,
  type HookTiming,
  MAX_HOOK_RUNS,
  MAX_USAGE_DAYS,
  type OwnerFilter,
  SLOT_MS,
  type SpenderCount,
} from "../../activity.ts";
import { type SumRow, toSum, USAGE_SUMS } from "../../rows/usage-rows.ts";
import { Conditions } from "../connection/conditions.ts";
import type { PostgresDatabase } from "../connection/database.ts";

const FORGET = "DELETE FROM usage_slot WHERE slot < $1";
const DROP_RUNS = `
  DELETE FROM hook_run WHERE (started_at, number) <= (
    SELECT started_at, number FROM hook_run ORDER BY started_at DESC, number DESC OFFSET $1 LIMIT 1)`;
const DAY_SLOTS = (24 * 60 * 60 * 1000) / SLOT_MS;

interface RunRow {
  readonly number: number;
  readonly threadId: string;
  readonly turnId: string;
  readonly run: string;
}

export function createPostgresActivity({ query, time }: PostgresDatabase): Activity {
  return {
    async catchUp() {
      await query(FORGET, Math.floor(time.now() / SLOT_MS) - MAX_USAGE_DAYS * DAY_SLOTS);
      await query(DROP_RUNS, MAX_HOOK_RUNS);
      return { pending: 0 };
    },
    async spent({ from, to }, { folder }, owner = null) {
      const sums = USAGE_SUMS.map((name) => `sum(${name}) AS ${name}`).join(", ");
      const where = withinSlots(from, to, owner);
      const sql = `SELECT ${folder ? "cwd" : "NULL::text"} AS folder, model, ${sums} FROM usage_slot
        WHERE ${where.parts.join(" AND ")} GROUP BY 1, 2`;
      return (await query<SumRow>(sql, ...where.values)).map(toSum);
    },
    async spenders({ from, to }, { folder, model }, owner = null) {
      const columns = `${folder ? "cwd" : "NULL::text"} AS folder, ${model ? "model" : "NULL::text"} AS model`;
      const where = withinSlots(from, to, owner);
      const sql = `SELECT ${columns}, count(DISTINCT thread_id) AS threads FROM usage_slot
        WHERE ${where.parts.join(" AND ")} GROUP BY 1, 2`;
      return query<SpenderCount>(sql, ...where.values);
    },
    async hookRuns(wanted) {
      const where = runConditions(wanted);
      const sql = `SELECT number, thread_id AS "threadId", turn_id AS "turnId", run FROM hook_run
        WHERE ${where.parts.join(" AND ")} ORDER BY started_at DESC, number DESC LIMIT ${where.value(wanted.limit)}`;
      const rows = await query<RunRow>(sql, ...where.values);
      return rows.map((row) => ({ ...row, run: JSON.parse(row.run) as HookRunSummary }));
    },
    async hookTimings(owner = null) {
      const where = runConditions({ owner, limit: 0 });
      const sql = `SELECT event AS "eventName", source_path AS "sourcePath", display_order AS "displayOrder", status,
        duration_ms AS "durationMs" FROM hook_run WHERE ${where.parts.join(" AND ")}`;
      return query<HookTiming>(sql, ...where.values);
    },
  };
}

function withinSlots(from: number, to: number, owner: OwnerFilter): Conditions {
  const where = new Conditions();
  where.add((at) => `slot >= ${at}`, from);
  where.add((at) => `slot < ${at}`, to);
  addOwner(where, owner);
  return where;
}

function addOwner(where: Conditions, owner: OwnerFilter): void {
  if (owner !== null)
    where.add((at) => `thread_id IN (SELECT thread_id FROM thread WHERE owner = ${at})`, owner);
}

function runConditions({ owner = null, before, ...query }: HookRunQuery): Conditions {
  const { threadId, eventName, status, sourcePath, displayOrder } = query;
  const where = new Conditions();
  where.parts.push("true");
  addOwner(where, owner);
  const given = { thread_id: threadId, event: eventName, status, source_path: sourcePath };
  for (const [column, value] of Object.entries({ ...given, display_order: displayOrder }))
    if (value != null) where.add((at) => `${column} = ${at}`, value);
  if (before != null) {
    const [startedAt, number] = [where.value(before.startedAt), where.value(before.number)];
    where.parts.push(`(started_at, number) < (${startedAt}::bigint, ${number}::bigint)`);
  }
  return where;
}
