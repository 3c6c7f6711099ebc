/** Operations on visible queue rows: add, list, update, reorder and remove. */
import {
  type AddOutcome,
  exceededLimit,
  type NewRow,
  OUTLINE_KEY,
  type Queue,
  type QueueLimits,
  type RowPage,
  rowBytes,
} from "../../queue.ts";
import { toQueueRow, type WholeRow } from "../../rows/queue-rows.ts";
import type { PostgresDatabase } from "../connection/database.ts";
import { toTextArray } from "../connection/parameters.ts";
import type { PostgresQueueLog } from "./queue-log.ts";
import { type LockedQueue, type QueueWriter, VISIBLE_ROWS } from "./queue-writer.ts";

// The index has digests, because keys may be long.
const KNOWN = "SELECT * FROM queue_row WHERE thread_id = $1 AND md5(client_id) = md5($2) AND client_id = $2";
const TAKEN =
  "SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM queue_row WHERE thread_id = $1";
const ADD = `
  INSERT INTO queue_row (thread_id, row_id, client_id, bytes, not_before_ms, state, created_at_ms, updated_at_ms,
    source, params, position)
  VALUES ($1, $2, $3, $4, $5, 'pending', $6, $6, $7, $8,
    (SELECT coalesce(max(position), 0) + 1 FROM queue_row WHERE thread_id = $1))
  RETURNING *`;
// One statement is one snapshot. Rows are selected by size before their content is read.
const PAGE = `
  SELECT (SELECT count(*) FROM queue_row WHERE ${VISIBLE_ROWS}) AS total,
    (SELECT pause FROM queue WHERE thread_id = $1) AS pause, page.*
  FROM (SELECT 1) AS one LEFT JOIN (
    SELECT whole.thread_id, whole.row_id, whole.not_before_ms, whole.state, whole.turn_id, whole.failure,
      whole.created_at_ms, whole.updated_at_ms, whole.source, whole.position, sized.bytes > $4::bigint AS is_outline,
      CASE WHEN sized.bytes <= $4::bigint OR length(whole.client_id) <= ${OUTLINE_KEY} THEN whole.client_id END AS client_id,
      CASE WHEN sized.bytes <= $4::bigint THEN whole.params END AS params
    FROM (
      SELECT row_id, bytes,
        sum(CASE WHEN bytes <= $4::bigint THEN bytes ELSE 0 END) OVER (ORDER BY position) AS taken
      FROM (
        SELECT row_id, position, bytes FROM queue_row WHERE ${VISIBLE_ROWS} ORDER BY position
        LIMIT $2::bigint OFFSET $3::bigint) AS first) AS sized
    JOIN queue_row AS whole ON whole.thread_id = $1 AND whole.row_id = sized.row_id
    WHERE sized.taken <= $5::bigint OR (sized.taken = sized.bytes AND $6::boolean)
  ) AS page ON true
  ORDER BY page.position`;
const FIND = `
  SELECT row_id AS id FROM queue_row WHERE ${VISIBLE_ROWS} AND ($2::text IS NULL OR row_id = $2) ORDER BY position LIMIT 1`;
const ROW = `SELECT * FROM queue_row WHERE ${VISIBLE_ROWS} AND row_id = $2`;
const UPDATE = `
  UPDATE queue_row SET params = $3, bytes = $4, state = 'pending', failure = NULL, updated_at_ms = $5,
    not_before_ms = CASE WHEN $6::boolean THEN $7::bigint ELSE not_before_ms END
  WHERE thread_id = $1 AND row_id = $2 RETURNING *`;
const REMOVE = `DELETE FROM queue_row WHERE ${VISIBLE_ROWS} AND row_id = $2 RETURNING row_id`;
const IDS = `SELECT row_id AS id FROM queue_row WHERE ${VISIBLE_ROWS} ORDER BY position`;
// The given rows permute their positions: a claimed row, or one that was added meanwhile, keeps its own.
const REORDER = `
  UPDATE queue_row SET position = place.position FROM (
    SELECT wanted.id, old.position FROM unnest($2::text[]) WITH ORDINALITY AS wanted (id, at)
    JOIN (SELECT position, row_number() OVER (ORDER BY position) AS at FROM queue_row WHERE ${VISIBLE_ROWS}) AS old USING (at)
  ) AS place
  WHERE queue_row.thread_id = $1 AND queue_row.row_id = place.id`;
const PAUSE = "UPDATE queue SET pause = $2 WHERE thread_id = $1";
const PAUSE_AFTER = `
  UPDATE queue SET paused_after = $2, pause = $3 WHERE thread_id = $1 AND paused_after IS DISTINCT FROM $2 RETURNING 1`;
const RESUME = "UPDATE queue SET pause = NULL WHERE thread_id = $1 AND pause IS NOT NULL RETURNING 1";

interface IdRow {
  readonly id: string;
}

export interface PostgresRowsOptions {
  readonly database: PostgresDatabase;
  readonly writer: QueueWriter;
  readonly log: Pick<PostgresQueueLog, "find">;
}

type Contents = Pick<Queue, "add" | "list" | "find" | "update">;
type Order = Pick<Queue, "ids" | "remove" | "reorder" | "pause" | "pauseAfter" | "resume">;

export function createPostgresRows(options: PostgresRowsOptions): Contents & Order {
  return { ...contentsOf(options), ...orderOf(options) };
}

function contentsOf({ database, writer, log }: PostgresRowsOptions): Contents {
  async function usageOf({ query, threadId }: LockedQueue) {
    const [usage] = await query<{ readonly count: number; readonly bytes: number }>(TAKEN, threadId);
    return usage ?? { count: 0, bytes: 0 };
  }

  async function add(queue: LockedQueue, row: NewRow, limits: QueueLimits): Promise<AddOutcome> {
    const { query, threadId } = queue;
    const { rowId, clientUserMessageId: key, notBeforeMs, source = null } = row;
    // As JSON, which keeps lone surrogates distinct.
    const clientId = key === null ? null : JSON.stringify(key);
    const [known] = clientId === null ? [] : await query<WholeRow>(KNOWN, threadId, clientId);
    if (known !== undefined) return { kind: "known", row: toQueueRow(known) };
    const started = key === null ? null : await log.find(queue, threadId, key);
    if (started !== null) return { kind: "started", started };
    const params = JSON.stringify(row.params);
    const bytes = rowBytes(params, clientId);
    const taken = await usageOf(queue);
    if (taken.count >= limits.maxRows) return { kind: "full", limit: "maxRows" };
    const full = exceededLimit(limits, bytes, taken.bytes);
    if (full !== null) return full;
    const values = [threadId, rowId, clientId, bytes, notBeforeMs, database.time.now(), source, params];
    const [added] = await query<WholeRow>(ADD, ...values);
    await queue.note();
    return { kind: "added", row: toQueueRow(added) };
  }

  return {
    add: (threadId, row, limits) => writer.write(threadId, (queue) => add(queue, row, limits)),
    async list(threadId, { offset, limit, maxBytes, atLeast, isOutline = false }: RowPage) {
      const whole = isOutline ? maxBytes : Number.MAX_SAFE_INTEGER;
      const values = [threadId, limit, offset, whole, maxBytes, atLeast === 1];
      const found = await database.query<ListRow>(PAGE, ...values);
      const rows = found.filter(({ row_id: id }) => id !== null).map((row) => toQueueRow(row));
      return { rows, total: found[0]?.total ?? 0, pause: found[0]?.pause ?? null };
    },
    find: async (threadId, rowId) => (await database.query<IdRow>(FIND, threadId, rowId))[0]?.id ?? null,
    update: (threadId, rowId, { params, notBeforeMs }, limits) =>
      writer.write(threadId, async (queue) => {
        const [found] = await queue.query<WholeRow>(ROW, threadId, rowId);
        if (found === undefined) return { kind: "unknownRow" };
        const text = JSON.stringify({ ...toQueueRow(found).params, ...params });
        const bytes = rowBytes(text, found.client_id);
        const full = exceededLimit(limits, bytes, (await usageOf(queue)).bytes - found.bytes);
        if (full !== null) return full;
        const time = [notBeforeMs !== undefined, notBeforeMs ?? null];
        const values = [threadId, rowId, text, bytes, database.time.now(), ...time];
        const [updated] = await queue.query<WholeRow>(UPDATE, ...values);
        await queue.note();
        return { kind: "updated", row: toQueueRow(updated) };
      }),
  };
}

type ListRow = WholeRow & { readonly total: number; readonly pause: string | null };

function orderOf({ database, writer }: PostgresRowsOptions): Order {
  /** Runs a statement, and notes a change of the queue if it returned a row. */
  const runAndNote = (sql: string, threadId: string, ...values: string[]): Promise<boolean> =>
    writer.write(threadId, async ({ query, note }) => {
      const isFound = (await query(sql, threadId, ...values)).length > 0;
      if (isFound) await note();
      return isFound;
    });
  const idsOf = async ({ query }: Pick<PostgresDatabase, "query">, threadId: string): Promise<string[]> =>
    (await query<IdRow>(IDS, threadId)).map(({ id }) => id);

  return {
    ids: (threadId) => idsOf(database, threadId),
    remove: (threadId, rowId) => runAndNote(REMOVE, threadId, rowId),
    reorder: (threadId, rowIds) =>
      writer.write(threadId, async (queue) => {
        const known = await idsOf(queue, threadId);
        const named = new Set(rowIds);
        if (rowIds.length !== known.length || !known.every((id) => named.has(id))) return false;
        await queue.query(REORDER, threadId, toTextArray(rowIds));
        await queue.note();
        return true;
      }),
    pause: (threadId, reason) =>
      writer.write(threadId, async ({ query, note }) => {
        await query(PAUSE, threadId, reason);
        await note();
      }),
    pauseAfter: (threadId, turnId, reason) => runAndNote(PAUSE_AFTER, threadId, turnId, reason),
    resume: (threadId) => runAndNote(RESUME, threadId),
  };
}
