import type { Clock } from "../../../base/clock.ts";
import type { Queue, QueueTotals } from "../../queue.ts";
import type { Connection } from "./connection.ts";
import { createQueueChanges, threadsWithRows } from "./queue-changes.ts";
import { createQueueClaims } from "./queue-claims.ts";
import { createQueueDue } from "./queue-due.ts";
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
