/** Queued turns in PostgreSQL. */
import { ATTENDED_MS, type Queue, type QueueTotals } from "../../queue.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import { createFencedTransaction } from "../leases/fenced.ts";
import {
  createPostgresQueueChanges,
  type PostgresQueueChanges,
  type PostgresQueueOptions,
} from "./queue-changes.ts";
import { createPostgresClaims, type QueueClaims } from "./queue-claims.ts";
import { createPostgresQueueLog } from "./queue-log.ts";
import { createPostgresRows } from "./queue-rows.ts";
import { createQueueWriter } from "./queue-writer.ts";

export interface PostgresQueue {
  readonly queue: Queue;
  readonly changes: PostgresQueueChanges;
  readonly start: QueueClaims["start"];
  /** Deletes all queue data of a thread, within a transaction of the caller. */
  drop(statements: Statements, threadId: string): Promise<void>;
}

const THREADS = 'SELECT DISTINCT thread_id AS "threadId" FROM queue_row ORDER BY thread_id';
const TOTALS = `
  SELECT count(*) FILTER (WHERE state = 'pending') AS pending, count(*) FILTER (WHERE state = 'failed') AS failed,
    min(created_at_ms) AS "oldestAtMs"
  FROM queue_row WHERE state <> 'dispatching'`;

export function createPostgresQueue(options: PostgresQueueOptions): PostgresQueue {
  const { database, nodeId } = options;
  const fenced = createFencedTransaction(database, nodeId);
  const changes = createPostgresQueueChanges(options);
  const { announce } = changes;
  const writer = createQueueWriter({ database, nodeId, announce });
  const log = createPostgresQueueLog(database, fenced);
  const { start, ...claims } = createPostgresClaims({ database, writer, log, fenced, announce });
  return {
    queue: {
      ...createPostgresRows({ database, writer, log }),
      ...claims,
      ...createQueueDue(database, nodeId),
      ...log.log,
      async threads() {
        const rows = await database.query<{ readonly threadId: string }>(THREADS);
        return rows.map(({ threadId }) => threadId);
      },
      async totals() {
        const [totals] = await database.query<QueueTotals>(TOTALS);
        return totals ?? { pending: 0, failed: 0, oldestAtMs: null };
      },
      watch: changes.watch,
    },
    changes,
    start,
    drop: writer.drop,
  };
}

const DUE = 'SELECT thread_id AS "threadId" FROM queue WHERE due_at_ms <= $1 ORDER BY due_at_ms, thread_id';
const NEXT = "SELECT min(due_at_ms) AS next FROM queue WHERE due_at_ms > $1";
const ATTEND = `
  INSERT INTO queue_attendant (node_id, seen_at_ms) VALUES ($1, $2)
  ON CONFLICT (node_id) DO UPDATE SET seen_at_ms = excluded.seen_at_ms`;
const DROP_GONE = "DELETE FROM queue_attendant WHERE seen_at_ms <= $1";
const LEAVE = "DELETE FROM queue_attendant WHERE node_id = $1";
// An announcement from the future was made before the clock was set back.
const ATTENDED = "SELECT 1 FROM queue_attendant WHERE seen_at_ms BETWEEN $1 AND $2 LIMIT 1";

function createQueueDue(
  { query, time }: PostgresDatabase,
  nodeId: string,
): Pick<Queue, "due" | "attend" | "leave" | "isAttended"> {
  return {
    async due() {
      const now = time.now();
      const rows = await query<{ readonly threadId: string }>(DUE, now);
      const [later] = await query<{ readonly next: number | null }>(NEXT, now);
      return { threadIds: rows.map(({ threadId }) => threadId), nextAtMs: later?.next ?? null };
    },
    async attend() {
      const now = time.now();
      await query(DROP_GONE, now - ATTENDED_MS);
      await query(ATTEND, nodeId, now);
    },
    leave: async () => void (await query(LEAVE, nodeId)),
    async isAttended() {
      const now = time.now();
      return (await query(ATTENDED, now - ATTENDED_MS + 1, now + ATTENDED_MS)).length > 0;
    },
  };
}
