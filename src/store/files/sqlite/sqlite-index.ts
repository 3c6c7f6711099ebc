import type { Clock } from "../../../base/clock.ts";
import { createDeferred, type Deferred } from "../../../base/tasks.ts";
import type { ItemQuery, SpanQuery } from "../../pages/history-reader.ts";
import {
  type FoldState,
  type HistoryIndex,
  INDEXED_FILES_AT_ONCE,
  type IndexBatch,
  type IndexedFile,
} from "../index/history-index.ts";
import type { Connection } from "./connection.ts";
import type { SqlValue } from "./driver.ts";
import { buildListQuery, DESCENDANTS, type SqlQuery } from "./list-query.ts";
import { isLocked } from "./lock-wait.ts";
import { DETAIL_COLUMNS, ROW_COLUMNS, toEntry, toItemRow, toRolloutRow, toTurnRow } from "./rollout-rows.ts";
import { createThreadTables } from "./thread-tables.ts";
import { removeRollout, writeBatch, writeHead, writeMove } from "./write-history.ts";

const SPAN = "rollout_id = ? AND seq >= ? AND seq < ?";

/**
 * The index in SQLite; every query uses a database index. `deleteRelated` runs in the transaction that deletes a
 * thread.
 */
export function createSqliteIndex(
  connection: Connection,
  clock: Clock,
  deleteRelated: (threadId: string) => void,
): HistoryIndex {
  const all = (sql: string, ...values: SqlValue[]) => connection.prepare(sql).all(...values);
  const one = (sql: string, ...values: SqlValue[]) => connection.prepare(sql).get(...values);
  const rollouts = (where: string, ...values: SqlValue[]) =>
    all(`SELECT ${ROW_COLUMNS} FROM rollouts r WHERE ${where}`, ...values).map(toRolloutRow);

  return {
    ...createThreadTables(connection, clock, deleteRelated),
    ...createWrites(connection),
    get epoch() {
      return connection.epoch;
    },
    async current(threadId) {
      const found = one(
        `SELECT ${ROW_COLUMNS}, ${DETAIL_COLUMNS}
         FROM rollouts r LEFT JOIN thread_details d ON d.thread_id = r.thread_id
         WHERE r.thread_id = ? AND r.shelf <> 3`,
        threadId,
      );
      return found === undefined ? null : toEntry(found);
    },
    rollout: async (rolloutId) => rollouts("r.rollout_id = ?", rolloutId)[0] ?? null,
    async state(rolloutId) {
      const found = one("SELECT state FROM rollouts WHERE rollout_id = ?", rolloutId);
      const { state } = (found ?? { state: null }) as { state: string | null };
      return state === null ? null : (JSON.parse(state) as FoldState);
    },
    rolloutsOf: async (threadId) => rollouts("r.thread_id = ?", threadId),
    basedOn: async (ids) => rollouts(`r.base_rollout_id IN (${ids.map(() => "?").join(", ")})`, ...ids),
    async indexedFiles(folder, after = `${folder}/`) {
      const found = all(
        `SELECT rollout_id AS rolloutId, thread_id AS threadId, path, size, inode, mtime_ms AS mtimeMs,
           indexed_bytes AS indexedBytes
         FROM rollouts WHERE path > ? AND path < ? ORDER BY path LIMIT ${INDEXED_FILES_AT_ONCE}`,
        after,
        `${folder}0`,
      );
      return found as IndexedFile[];
    },
    descendants: async (threadId) => all(DESCENDANTS, threadId).map((row) => (row as { id: string }).id),
    async list(query) {
      const { sql, values } = buildListQuery(query);
      return all(sql, ...values).map(toEntry);
    },
    turns: async (query) =>
      all(`SELECT * FROM turns WHERE ${SPAN} ${ordered(query)}`, ...span(query)).map(toTurnRow),
    async turn(rolloutId, turnId) {
      const found = one("SELECT * FROM turns WHERE rollout_id = ? AND turn_id = ?", rolloutId, turnId);
      return found === undefined ? null : toTurnRow(found);
    },
    async items(query) {
      const { sql, values } = itemConditions(query);
      const [rolloutId, fromSeq, toSeq, limit] = span(query);
      const text = `SELECT * FROM items WHERE ${SPAN} ${sql} ${ordered(query)}`;
      return all(text, rolloutId, fromSeq, toSeq, ...values, limit).map(toItemRow);
    },
    async itemsById(rolloutId, turnId, itemIds) {
      const marks = itemIds.map(() => "?").join(", ");
      const sql = `SELECT * FROM items WHERE rollout_id = ? AND turn_id = ? AND item_id IN (${marks}) ORDER BY seq`;
      return all(sql, rolloutId, turnId, ...itemIds).map(toItemRow);
    },
  };
}

function createWrites(connection: Connection): Pick<HistoryIndex, "putHeads" | "apply" | "remove" | "move"> {
  return {
    async putHeads(rows) {
      if (rows.length === 0) return;
      connection.write(() => {
        for (const row of rows) writeHead(connection, row);
      });
    },
    apply: createGroupedApply(connection),
    async remove(rolloutIds) {
      if (rolloutIds.length === 0) return;
      connection.write(() => {
        for (const id of rolloutIds) removeRollout(connection, id);
      });
    },
    async move(moves) {
      connection.write(() => {
        for (const move of moves) writeMove(connection, move);
      });
    },
  };
}

/** Larger transactions would block other processes for too long. */
const BATCHES_AT_ONCE = 32;

/**
 * Combines the batches of one event loop turn into a transaction, because the overhead of a transaction equals the cost
 * of its writes. If it fails, each batch is retried in a separate transaction and fails individually.
 */
function createGroupedApply(connection: Connection): HistoryIndex["apply"] {
  interface Waiting {
    readonly batch: IndexBatch;
    readonly done: Deferred<boolean>;
  }
  const waiting: Waiting[] = [];

  const write = (group: readonly Waiting[]): readonly boolean[] =>
    connection.write(() => group.map(({ batch }) => writeBatch(connection, batch)));

  function applyGroup(group: readonly Waiting[]): void {
    try {
      const applied = write(group);
      for (const [at, { done }] of group.entries()) done.resolve(applied[at] === true);
    } catch (error) {
      // A lock affects every batch of the group alike.
      if (group.length === 1 || isLocked(error)) for (const { done } of group) done.reject(error as Error);
      else for (const each of group) applyGroup([each]);
    }
  }

  function flush(): void {
    const group = waiting.splice(0, BATCHES_AT_ONCE);
    if (waiting.length > 0) setImmediate(flush);
    applyGroup(group);
  }

  return (batch) => {
    const done = createDeferred<boolean>();
    if (waiting.length === 0) setImmediate(flush);
    waiting.push({ batch, done });
    return done.promise;
  };
}

function itemConditions({ turnId, itemId, types }: ItemQuery): SqlQuery {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  if (turnId != null) {
    parts.push("AND turn_id = ?");
    values.push(turnId);
  }
  if (itemId !== undefined) {
    parts.push("AND item_id = ?");
    values.push(itemId);
  }
  if (types !== undefined) {
    parts.push(`AND type IN (${types.map(() => "?").join(", ")})`);
    values.push(...types);
  }
  return { sql: parts.join(" "), values };
}

function ordered({ direction }: SpanQuery): string {
  return `ORDER BY seq ${direction} LIMIT ?`;
}

function span({ segmentId, fromSeq, toSeq, limit }: SpanQuery): [string, number, number, number] {
  return [segmentId, fromSeq, toSeq, limit];
}
