/** Operations on visible queue rows: add, list, update, reorder and remove. */
import type { Clock } from "../../../base/clock.ts";
import {
  type AddOutcome,
  type ByteLimits,
  exceededLimit,
  type NewRow,
  OUTLINE_KEY,
  type Queue,
  type QueueLimits,
  type RowChange,
  type RowList,
  type RowPage,
  rowBytes,
  type UpdateOutcome,
} from "../../queue.ts";
import { toQueueRow, type WholeRow } from "../../rows/queue-rows.ts";
import type { Connection } from "./connection.ts";
import type { QueueChanges } from "./queue-changes.ts";
import type { SqliteQueueLog } from "./queue-log.ts";
import { type SqliteRow, VISIBLE, WHOLE_ROWS } from "./stored-row.ts";

const KNOWN = `SELECT * FROM ${WHOLE_ROWS} WHERE thread_id = ? AND client_id = ?`;
const TAKEN =
  "SELECT COUNT(*) AS count, COALESCE(SUM(bytes), 0) AS bytes FROM queue_rows WHERE thread_id = ?";
const ADD = `
  INSERT INTO queue_rows
    (thread_id, row_id, client_id, bytes, not_before_ms, state, created_at_ms, updated_at_ms, source, position)
  VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?,
    (SELECT COALESCE(MAX(position), 0) + 1 FROM queue_rows WHERE thread_id = ?))
  RETURNING *`;
const ADD_PARAMS = "INSERT INTO queue_params (number, params) VALUES (?, ?)";
const WHOLE = `
  SELECT (SELECT COUNT(*) FROM queue_rows WHERE ${VISIBLE}) AS total,
    (SELECT reason FROM queue_pauses WHERE thread_id = ?) AS pause`;
// Rows are selected by size before their content is read.
const PAGE = `
  SELECT thread_id, row_id, not_before_ms, state, turn_id, failure, created_at_ms, updated_at_ms, source,
    sized.bytes > ? AS is_outline,
    CASE WHEN sized.bytes <= ? OR length(client_id) <= ${OUTLINE_KEY} THEN client_id END AS client_id,
    CASE WHEN sized.bytes <= ? THEN params END AS params
  FROM (
    SELECT number, bytes, SUM(CASE WHEN bytes <= ? THEN bytes ELSE 0 END) OVER (ORDER BY position) AS taken
    FROM (SELECT number, position, bytes FROM queue_rows WHERE ${VISIBLE} ORDER BY position LIMIT ? OFFSET ?)) AS sized
  JOIN queue_rows USING (number) JOIN queue_params USING (number)
  WHERE taken <= ? OR (taken = sized.bytes AND ?)
  ORDER BY position`;
// Changes with every write of another process.
const VERSION = "PRAGMA data_version";
const FIND_FIRST = `SELECT row_id FROM queue_rows WHERE ${VISIBLE} ORDER BY position LIMIT 1`;
const FIND = `SELECT row_id FROM queue_rows WHERE ${VISIBLE} AND row_id = ?`;
const WHOLE_ROW = `SELECT * FROM ${WHOLE_ROWS} WHERE ${VISIBLE} AND row_id = ?`;
const UPDATE = `
  UPDATE queue_rows SET bytes = ?, state = 'pending', failure = NULL, updated_at_ms = ?,
    not_before_ms = CASE WHEN ? THEN ? ELSE not_before_ms END
  WHERE number = ? RETURNING *`;
const UPDATE_PARAMS = "UPDATE queue_params SET params = ? WHERE number = ?";
const REMOVE = `DELETE FROM queue_rows WHERE ${VISIBLE} AND row_id = ? RETURNING row_id`;
const POSITIONS = `SELECT row_id, position FROM queue_rows WHERE ${VISIBLE} ORDER BY position`;
const SET_POSITION = "UPDATE queue_rows SET position = ? WHERE thread_id = ? AND row_id = ?";
const PAUSE = `
  INSERT INTO queue_pauses (thread_id, reason) VALUES (?, ?)
  ON CONFLICT (thread_id) DO UPDATE SET reason = excluded.reason`;
const PAUSED_AFTER = `
  INSERT INTO queue_paused_after (thread_id, turn_id) VALUES (?, ?)
  ON CONFLICT (thread_id) DO UPDATE SET turn_id = excluded.turn_id WHERE turn_id <> excluded.turn_id
  RETURNING turn_id`;
const RESUME = "DELETE FROM queue_pauses WHERE thread_id = ? RETURNING thread_id";

export interface QueueRowsOptions {
  readonly connection: Pick<Connection, "prepare" | "write">;
  readonly changes: QueueChanges;
  readonly log: Pick<SqliteQueueLog, "find">;
  readonly clock: Clock;
}

type Contents = Pick<Queue, "add" | "list" | "find" | "update">;
type Order = Pick<Queue, "ids" | "remove" | "reorder" | "pause" | "pauseAfter" | "resume">;

export function createQueueRows(options: QueueRowsOptions): Contents & Order {
  return { ...contentsOf(options), ...orderOf(options) };
}

function contentsOf({ connection, changes, log, clock }: QueueRowsOptions): Contents {
  const usageOf = (threadId: string) =>
    connection.prepare(TAKEN).get(threadId) as { readonly count: number; readonly bytes: number };

  function add(threadId: string, row: NewRow, limits: QueueLimits): AddOutcome {
    const { rowId, clientUserMessageId, notBeforeMs } = row;
    // As JSON: SQLite text cannot hold lone surrogates, so that keys that differ only in these would collide.
    const clientId = clientUserMessageId === null ? null : JSON.stringify(clientUserMessageId);
    const known = clientId === null ? undefined : connection.prepare(KNOWN).get(threadId, clientId);
    if (known !== undefined) return { kind: "known", row: toQueueRow(known) };
    const started = clientUserMessageId === null ? null : log.find(threadId, clientUserMessageId);
    if (started !== null) return { kind: "started", started };
    const params = JSON.stringify(row.params);
    const bytes = rowBytes(params, clientId);
    const taken = usageOf(threadId);
    if (taken.count >= limits.maxRows) return { kind: "full", limit: "maxRows" };
    const full = exceededLimit(limits, bytes, taken.bytes);
    if (full !== null) return full;
    const now = clock.now();
    const values = [threadId, rowId, clientId, bytes, notBeforeMs, now, now, row.source ?? null, threadId];
    const added = connection.prepare(ADD).get(...values) as SqliteRow;
    connection.prepare(ADD_PARAMS).run(added.number, params);
    changes.note(threadId);
    return { kind: "added", row: toQueueRow(added, row.params) };
  }

  const version = () => JSON.stringify(connection.prepare(VERSION).get());

  /** Retries until no other process has written between both reads: a single statement would take twice as long. */
  function list(threadId: string, page: RowPage): RowList {
    const { offset, limit, maxBytes, atLeast, isOutline = false } = page;
    const whole = isOutline ? maxBytes : Number.MAX_SAFE_INTEGER;
    const sizes = [whole, whole, whole, whole];
    for (let before = version(); ; ) {
      const state = connection.prepare(WHOLE).get(threadId, threadId) as Pick<RowList, "total" | "pause">;
      const values = [...sizes, threadId, limit, offset, maxBytes, atLeast];
      const rows = limit === 0 ? [] : connection.prepare(PAGE).all(...values);
      const after = version();
      if (after === before) return { ...state, rows: rows.map((row) => toQueueRow(row)) };
      before = after;
    }
  }

  function find(threadId: string, rowId: string | null): string | null {
    const found =
      rowId === null
        ? connection.prepare(FIND_FIRST).get(threadId)
        : connection.prepare(FIND).get(threadId, rowId);
    return (found as Pick<SqliteRow, "row_id"> | undefined)?.row_id ?? null;
  }

  function update(threadId: string, rowId: string, change: RowChange, limits: ByteLimits): UpdateOutcome {
    const { params, notBeforeMs } = change;
    const found = connection.prepare(WHOLE_ROW).get(threadId, rowId) as (SqliteRow & WholeRow) | undefined;
    if (found === undefined) return { kind: "unknownRow" };
    const merged = { ...toQueueRow(found).params, ...params };
    const text = JSON.stringify(merged);
    const bytes = rowBytes(text, found.client_id);
    const full = exceededLimit(limits, bytes, usageOf(threadId).bytes - found.bytes);
    if (full !== null) return full;
    const isTimed = notBeforeMs === undefined ? 0 : 1;
    const values = [bytes, clock.now(), isTimed, notBeforeMs ?? null, found.number];
    const updated = connection.prepare(UPDATE).get(...values);
    connection.prepare(UPDATE_PARAMS).run(text, found.number);
    changes.note(threadId);
    return { kind: "updated", row: toQueueRow(updated, merged) };
  }

  return {
    add: async (threadId, row, limits) => connection.write(() => add(threadId, row, limits)),
    list: async (threadId, page) => list(threadId, page),
    find: async (threadId, rowId) => find(threadId, rowId),
    update: async (threadId, rowId, change, limits) =>
      connection.write(() => update(threadId, rowId, change, limits)),
  };
}

function orderOf({ connection, changes }: QueueRowsOptions): Order {
  const positionsIn = (threadId: string) =>
    connection.prepare(POSITIONS).all(threadId) as Pick<SqliteRow, "row_id" | "position">[];

  /** Permutes the positions of the given rows: a claimed row, or one that was added meanwhile, keeps its own. */
  function reorder(threadId: string, rowIds: readonly string[]): boolean {
    const positions = positionsIn(threadId);
    const named = new Set(rowIds);
    const isEach = rowIds.length === positions.length && positions.every((place) => named.has(place.row_id));
    if (!isEach) return false;
    for (const [at, { row_id: before, position }] of positions.entries()) {
      const rowId = rowIds[at];
      if (rowId !== undefined && rowId !== before)
        connection.prepare(SET_POSITION).run(position, threadId, rowId);
    }
    changes.note(threadId);
    return true;
  }

  function pause(threadId: string, reason: string): void {
    connection.prepare(PAUSE).run(threadId, reason);
    changes.note(threadId);
  }

  /** Runs a statement, and notes a change of the queue if it returned a row. */
  const runAndNote = (sql: string, threadId: string, ...values: string[]): boolean =>
    connection.write(() => {
      const isFound = connection.prepare(sql).get(threadId, ...values) !== undefined;
      if (isFound) changes.note(threadId);
      return isFound;
    });

  return {
    ids: async (threadId) => positionsIn(threadId).map((place) => place.row_id),
    remove: async (threadId, rowId) => runAndNote(REMOVE, threadId, rowId),
    reorder: async (threadId, rowIds) => connection.write(() => reorder(threadId, rowIds)),
    pause: async (threadId, reason) => connection.write(() => pause(threadId, reason)),
    pauseAfter: async (threadId, turnId, reason) =>
      connection.write(() => {
        if (connection.prepare(PAUSED_AFTER).get(threadId, turnId) === undefined) return false;
        pause(threadId, reason);
        return true;
      }),
    resume: async (threadId) => runAndNote(RESUME, threadId),
  };
}
