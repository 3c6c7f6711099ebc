/** The log of started queue rows, in the table `queue_started`. */
import type { Clock } from "../../../base/clock.ts";
import {
  clipEnd,
  encodeClientKey,
  MAX_STARTED,
  type QueueLog,
  STARTED_AGE_MS,
  type StartedQuery,
  type StartedRow,
} from "../../queue-log.ts";
import { type LogRow, toStartedRow } from "../../rows/started-rows.ts";
import type { Connection } from "./connection.ts";
import { createFencedWrite } from "./lease-table.ts";

const PRUNE_EVERY = 100;

const INSERT = `
  INSERT INTO queue_started (thread_id, row_id, client_id, turn_id, preview, started_at_ms)
  VALUES (?, ?, ?, ?, ?, ?) RETURNING number`;
const PRUNE = "DELETE FROM queue_started WHERE number <= ? OR started_at_ms <= ?";
const OF_KEY = `
  SELECT * FROM queue_started WHERE thread_id = ? AND client_id = ? AND started_at_ms > ?
  ORDER BY number DESC LIMIT 1`;
const END = `
  UPDATE queue_started SET how = ?, ended_at_ms = ?, duration_ms = ?, tokens = ?, error = ?
  WHERE thread_id = ? AND turn_id = ? AND how IS NULL RETURNING number`;

export interface SqliteQueueLog {
  readonly log: QueueLog;
  /** Must run in the transaction that removes the row from its queue. */
  add(row: Omit<StartedRow, "startedAtMs" | "end">): void;
  /** As `startedBy`, within the caller's transaction. */
  find(threadId: string, clientUserMessageId: string): StartedRow | null;
}

export function createSqliteQueueLog(
  connection: Pick<Connection, "prepare" | "write">,
  owner: string,
  clock: Clock,
): SqliteQueueLog {
  const fenced = createFencedWrite(connection, owner);
  const oldest = (): number => clock.now() - STARTED_AGE_MS;

  function find(threadId: string, key: string): StartedRow | null {
    const found = connection.prepare(OF_KEY).get(threadId, encodeClientKey(key), oldest());
    return found === undefined ? null : toStartedRow(found as LogRow);
  }

  return {
    find,
    add({ threadId, rowId, clientUserMessageId: key, turnId, preview }) {
      const mark = key === null ? null : encodeClientKey(key);
      const values = [threadId, rowId, mark, turnId, preview, clock.now()];
      const { number } = connection.prepare(INSERT).get(...values) as { readonly number: number };
      if (number % PRUNE_EVERY === 0) connection.prepare(PRUNE).run(number - MAX_STARTED, oldest());
    },
    log: {
      startedBy: async (threadId, key) => find(threadId, key),
      async started({ threadId, isOpen, limit }: StartedQuery) {
        const conditions = [
          "started_at_ms > ?",
          ...(threadId === undefined ? [] : ["thread_id = ?"]),
          ...(isOpen === true ? ["how IS NULL"] : []),
        ];
        const sql = `SELECT * FROM queue_started WHERE ${conditions.join(" AND ")} ORDER BY number DESC LIMIT ?`;
        const values = [oldest(), ...(threadId === undefined ? [] : [threadId]), limit];
        return connection
          .prepare(sql)
          .all(...values)
          .map((row) => toStartedRow(row as LogRow));
      },
      recordEnd: async (fence, turnId, end) =>
        fenced(fence, () => {
          const { how, atMs, durationMs, tokens, error } = clipEnd(end);
          const values = [how, atMs, durationMs, tokens, error, fence.threadId, turnId];
          return connection.prepare(END).get(...values) !== undefined;
        }),
    },
  };
}
