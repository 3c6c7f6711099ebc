import type { Clock } from "../../../base/clock.ts";
import type { HookRunSummary } from "../../../protocol/generated/types.ts";
import {
  type Activity,
  clipHookRun,
  type HookRunQuery,
  type HookTiming,
  MAX_HOOK_RUNS,
  MAX_USAGE_DAYS,
  type OwnerFilter,
  SLOT_MS,
  type SpenderCount,
  type StoredHookRun,
} from "../../activity.ts";
import type { ActivityState, HookRan, SpentTokens } from "../../lines/activity-step.ts";
import { type SumRow, toSum, USAGE_SUMS } from "../../rows/usage-rows.ts";
import type { Connection } from "./connection.ts";
import type { SqlValue } from "./driver.ts";

/** A file with lines that are not counted, as the index knows it. */
export interface UncountedFile {
  readonly rolloutId: string;
  /** Changes whenever the file does. */
  readonly mark: string;
  readonly position: CountedPosition | null;
}

export interface CountedPosition {
  readonly bytes: number;
  readonly state: ActivityState;
}

/** The lines of a file from one position to the next. */
export interface CountedLines {
  readonly rolloutId: string;
  readonly threadId: string;
  /** Where the file was counted up to before; null if it never was. */
  readonly from: number | null;
  readonly to: CountedPosition;
  /** The mark of the file if it was counted to its end; null otherwise. */
  readonly mark: string | null;
  readonly changes: readonly (SpentTokens | HookRan)[];
}

export interface ActivityTables {
  readonly reads: Omit<Activity, "catchUp">;
  /** The files to count next, and how many there are in all. */
  uncounted(limit: number): { readonly files: readonly UncountedFile[]; readonly total: number };
  /** Counts lines and moves the position on in one transaction; false if another process has counted them. */
  count(lines: CountedLines): Promise<boolean>;
}

const MARK = "r.size || ':' || r.mtime_ms || ':' || r.indexed_bytes";
const UNCOUNTED = `FROM rollouts r LEFT JOIN activity_positions p ON p.rollout_id = r.rollout_id
  WHERE p.mark IS NULL OR p.mark <> ${MARK}`;
const LIST = `SELECT r.rollout_id AS rolloutId, ${MARK} AS mark, p.bytes AS bytes, p.state AS state ${UNCOUNTED} LIMIT ?`;
const TOTAL = `SELECT count(*) AS total ${UNCOUNTED}`;
const BYTES = "SELECT bytes FROM activity_positions WHERE rollout_id = ?";
const MOVE = `INSERT OR REPLACE INTO activity_positions (rollout_id, mark, bytes, state) VALUES (?, ?, ?, ?)`;
const ADD = `
  INSERT INTO usage_slots (slot, thread_id, cwd, model, ${USAGE_SUMS.join(", ")})
  VALUES (?, ?, ?, ?, ${USAGE_SUMS.map(() => "?").join(", ")})
  ON CONFLICT (slot, thread_id, cwd, model) DO UPDATE SET ${USAGE_SUMS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")}`;
const FORGET = "DELETE FROM usage_slots WHERE slot < ?";
const ADD_RUN = `
  INSERT INTO hook_runs (thread_id, turn_id, event, source_path, display_order, status, started_at, duration_ms, run)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const DROP_RUNS = `
  DELETE FROM hook_runs WHERE number IN (
    SELECT number FROM hook_runs ORDER BY started_at DESC, number DESC LIMIT -1 OFFSET ?)`;
const TIMINGS = `
  SELECT event AS eventName, source_path AS sourcePath, display_order AS displayOrder, status,
    duration_ms AS durationMs FROM hook_runs`;

const DAY_SLOTS = (24 * 60 * 60 * 1000) / SLOT_MS;

/** Sums in the tables `usage_slots` and `hook_runs`, and in `activity_positions` what they were counted from. */
export function createSqliteActivity(
  connection: Pick<Connection, "prepare" | "write">,
  clock: Pick<Clock, "now">,
): ActivityTables {
  const { prepare } = connection;

  function addTokens(threadId: string, { atMs, cwd, model, isFirst, tokens }: SpentTokens): void {
    const { inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens } = tokens;
    const sums = [isFirst ? 1 : 0, inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens];
    const slot = Math.floor(atMs / SLOT_MS);
    prepare(ADD).run(
      slot,
      threadId,
      cwd,
      model,
      ...sums.map(toCount),
      toCount(tokens.reasoningOutputTokens),
      toCount(tokens.totalTokens),
    );
  }

  function addRun(threadId: string, { turnId, run }: HookRan): void {
    const { eventName, sourcePath, displayOrder, status, startedAt, durationMs } = run;
    prepare(ADD_RUN).run(
      threadId,
      turnId,
      eventName,
      sourcePath,
      toCount(displayOrder),
      status,
      toCount(startedAt),
      durationMs === null ? null : toCount(durationMs),
      JSON.stringify(clipHookRun(run)),
    );
  }

  return {
    uncounted(limit) {
      const { total } = prepare(TOTAL).get() as { total: number };
      const rows = prepare(LIST).all(limit) as readonly UncountedRow[];
      return { files: rows.map(toUncounted), total };
    },
    async count({ rolloutId, threadId, from, to, mark, changes }) {
      return connection.write(() => {
        const known = prepare(BYTES).get(rolloutId) as { bytes: number } | undefined;
        if ((known?.bytes ?? null) !== from) return false;
        prepare(MOVE).run(rolloutId, mark ?? "", to.bytes, JSON.stringify(to.state));
        for (const change of changes) {
          if (change.kind === "spent") addTokens(threadId, change);
          else addRun(threadId, change);
        }
        if (changes.length === 0) return true;
        prepare(FORGET).run(Math.floor(clock.now() / SLOT_MS) - MAX_USAGE_DAYS * DAY_SLOTS);
        if (changes.some(({ kind }) => kind === "hookRun")) prepare(DROP_RUNS).run(MAX_HOOK_RUNS);
        return true;
      });
    },
    reads: createReads(connection),
  };
}

function createReads({ prepare }: Pick<Connection, "prepare">): ActivityTables["reads"] {
  return {
    async spent({ from, to }, { folder }, owner = null) {
      const cwd = folder ? "cwd" : "NULL";
      const sums = USAGE_SUMS.map((name) => `sum(${name}) AS ${name}`).join(", ");
      const sql = `SELECT ${cwd} AS folder, model, ${sums} FROM usage_slots
        WHERE slot >= ? AND slot < ? AND ${ownedBy(owner)} GROUP BY 1, 2`;
      return (prepare(sql).all(from, to, ...given(owner)) as readonly SumRow[]).map(toSum);
    },
    async spenders({ from, to }, { folder, model }, owner = null) {
      const columns = `${folder ? "cwd" : "NULL"} AS folder, ${model ? "model" : "NULL"} AS model`;
      const sql = `SELECT ${columns}, count(DISTINCT thread_id) AS threads FROM usage_slots
        WHERE slot >= ? AND slot < ? AND ${ownedBy(owner)} GROUP BY 1, 2`;
      return prepare(sql).all(from, to, ...given(owner)) as readonly SpenderCount[];
    },
    async hookRuns({ owner = null, ...query }) {
      const { parts, values } = runConditions(query);
      const sql = `SELECT number, thread_id, turn_id, run FROM hook_runs
        WHERE ${[ownedBy(owner), ...parts].join(" AND ")} ORDER BY started_at DESC, number DESC LIMIT ?`;
      return (prepare(sql).all(...given(owner), ...values, query.limit) as readonly RunRow[]).map(toRun);
    },
    hookTimings: async (owner = null) =>
      prepare(`${TIMINGS} WHERE ${ownedBy(owner)}`).all(...given(owner)) as readonly HookTiming[],
  };
}

function ownedBy(owner: OwnerFilter): string {
  return owner === null ? "1" : "thread_id IN (SELECT thread_id FROM rollouts WHERE owner = ?)";
}

function given(owner: OwnerFilter): readonly string[] {
  return owner === null ? [] : [owner];
}

interface UncountedRow {
  readonly rolloutId: string;
  readonly mark: string;
  readonly bytes: number | null;
  readonly state: string | null;
}

function toUncounted({ rolloutId, mark, bytes, state }: UncountedRow): UncountedFile {
  const position =
    bytes === null || state === null ? null : { bytes, state: JSON.parse(state) as ActivityState };
  return { rolloutId, mark, position };
}

function runConditions({ threadId, eventName, status, sourcePath, displayOrder, before }: HookRunQuery) {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  const given = { thread_id: threadId, event: eventName, status, source_path: sourcePath };
  for (const [column, value] of Object.entries({ ...given, display_order: displayOrder })) {
    if (value == null) continue;
    parts.push(`${column} = ?`);
    values.push(value);
  }
  if (before != null) {
    parts.push("(started_at, number) < (?, ?)");
    values.push(before.startedAt, before.number);
  }
  return { parts, values };
}

interface RunRow {
  readonly number: number;
  readonly thread_id: string;
  readonly turn_id: string;
  readonly run: string;
}

function toRun({ number, thread_id: threadId, turn_id: turnId, run }: RunRow): StoredHookRun {
  return { number, threadId, turnId, run: JSON.parse(run) as HookRunSummary };
}

/** Files of others may have any number. */
function toCount(value: number): number {
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
