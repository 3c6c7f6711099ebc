import type { Clock } from "../../../base/clock.ts";
import { ATTENDED_MS, type Queue, type QueueTotals } from "../../queue.ts";
import type { Connection } from "./connection.ts";
import { createQueueChanges, threadsWithRows } from "./queue-changes.ts";
import { createQueueClaims } from "./queue-claims.ts";
import { createSqliteQueueLog } from "./queue-log.ts";
import { createQueueRows } from "./queue-rows.ts";

export interface SqliteQueue {
  readonly queue: Queue;
  /** Deletes all queue data of a thread, within the caller's transaction. */
  drop(threadId: string): void;
  close(): void;
}

const TABLES = ["queue_rows", "queue_pauses", "queue_paused_after", "queue_started"];
const TOTALS = `
  SELECT COUNT(*) FILTER (WHERE state = 'pending') AS pending, COUNT(*) FILTER (WHERE state = 'failed') AS failed,
    MIN(created_at_ms) AS oldestAtMs
  FROM queue_rows WHERE state != 'dispatching'`;

/** Queued turns in the tables `queue_*`. */
export function createSqliteQueue(
  connection: Pick<Connection, "epoch" | "prepare" | "write">,
  owner: string,
  clock: Clock,
): SqliteQueue {
  const changes = createQueueChanges(connection, owner, clock);
  const log = createSqliteQueueLog(connection, owner, clock);

  function drop(threadId: string): void {
    for (const table of TABLES) connection.prepare(`DELETE FROM ${table} WHERE thread_id = ?`).run(threadId);
    changes.note(threadId);
  }

  return {
    queue: {
      ...createQueueRows({ connection, changes, log, clock }),
      ...createQueueClaims({ connection, changes, log, owner, clock }),
      ...createQueueDue(connection, owner, clock),
      ...log.log,
      threads: async () => threadsWithRows(connection),
      totals: async () => ({ ...(connection.prepare(TOTALS).get() as QueueTotals) }),
      watch: changes.watch,
    },
    drop,
    close: changes.close,
  };
}

const DUE = "SELECT thread_id FROM queue_due WHERE due_at_ms <= ? ORDER BY due_at_ms, thread_id";
const NEXT = "SELECT MIN(due_at_ms) AS next FROM queue_due WHERE due_at_ms > ?";
const ATTEND = `
  INSERT INTO queue_attendants (owner, seen_at_ms) VALUES (?, ?)
  ON CONFLICT (owner) DO UPDATE SET seen_at_ms = excluded.seen_at_ms`;
const DROP_GONE = "DELETE FROM queue_attendants WHERE seen_at_ms <= ?";
const LEAVE = "DELETE FROM queue_attendants WHERE owner = ?";
// An announcement from the future was made before the clock was set back.
const ATTENDED = "SELECT 1 FROM queue_attendants WHERE seen_at_ms BETWEEN ? AND ? LIMIT 1";

/** Due queues in the table `queue_due`, and the servers that attend to them in `queue_attendants`. */
function createQueueDue(
  connection: Pick<Connection, "prepare" | "write">,
  owner: string,
  clock: Clock,
): Pick<Queue, "due" | "attend" | "leave" | "isAttended"> {
  return {
    async due() {
      const now = clock.now();
      const rows = connection.prepare(DUE).all(now) as { readonly thread_id: string }[];
      const { next } = connection.prepare(NEXT).get(now) as { readonly next: number | null };
      return { threadIds: rows.map((row) => row.thread_id), nextAtMs: next };
    },
    async attend() {
      const now = clock.now();
      connection.write(() => {
        connection.prepare(DROP_GONE).run(now - ATTENDED_MS);
        connection.prepare(ATTEND).run(owner, now);
      });
    },
    async leave() {
      connection.prepare(LEAVE).run(owner);
    },
    async isAttended() {
      const now = clock.now();
      return connection.prepare(ATTENDED).get(now - ATTENDED_MS + 1, now + ATTENDED_MS) !== undefined;
    },
  };
}
