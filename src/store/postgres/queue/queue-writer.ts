/** Transactions on the queue of one thread, which its row locks. */
import type { PostgresDatabase, Statements } from "../connection/database.ts";

const LOCK = `
  INSERT INTO queue (thread_id) VALUES ($1)
  ON CONFLICT (thread_id) DO UPDATE SET thread_id = excluded.thread_id RETURNING pause`;
const NOTE = `
  WITH noted AS (
    INSERT INTO queue_change (thread_id, node_id, at_ms) VALUES ($1, $2, $3)
  )
  UPDATE queue SET due_at_ms = (
    SELECT CASE
      WHEN state = 'dispatching' THEN 0 WHEN state = 'pending' AND queue.pause IS NULL THEN coalesce(not_before_ms, 0)
    END
    FROM queue_row WHERE thread_id = $1 ORDER BY state = 'dispatching' DESC, position LIMIT 1)
  WHERE thread_id = $1`;
const DROP_OLD = "DELETE FROM queue_change WHERE at_ms < $1";
const TABLES = ["queue_row", "queue_started", "queue"];

/** Entries are kept longer than any process waits for them. */
const KEPT_MS = 60 * 60 * 1000;
const DROP_EVERY_MS = 60_000;

/** Rows of a thread that are not being started. */
export const VISIBLE_ROWS = "thread_id = $1 AND state <> 'dispatching'";

/** The queue of a thread within a transaction. */
export interface LockedQueue extends Statements {
  readonly threadId: string;
  /** Why it is paused; null if it is not. */
  readonly pause: string | null;
  /** Records that the queue was changed. */
  note(): Promise<void>;
}

export interface QueueWriter {
  write<T>(threadId: string, work: (queue: LockedQueue) => Promise<T>): Promise<T>;
  /** Within a transaction of the caller, who announces the change after its commit. */
  lock(statements: Statements, threadId: string): Promise<LockedQueue>;
  /** Deletes all queue data of a thread, within a transaction of the caller. */
  drop(statements: Statements, threadId: string): Promise<void>;
}

interface QueueWriterOptions {
  readonly database: PostgresDatabase;
  readonly nodeId: string;
  readonly announce: () => void;
}

export function createQueueWriter({ database, nodeId, announce }: QueueWriterOptions): QueueWriter {
  let droppedAt = 0;

  async function note({ query }: Statements, threadId: string): Promise<void> {
    const now = database.time.now();
    await query(NOTE, threadId, nodeId, now);
    if (now - droppedAt < DROP_EVERY_MS) return;
    droppedAt = now;
    await query(DROP_OLD, now - KEPT_MS);
  }

  async function lock(statements: Statements, threadId: string): Promise<LockedQueue> {
    const [found] = await statements.query<{ readonly pause: string | null }>(LOCK, threadId);
    const pause = found?.pause ?? null;
    return { query: statements.query, threadId, pause, note: () => note(statements, threadId) };
  }

  return {
    lock,
    async write(threadId, work) {
      let isChanged = false;
      const result = await database.transaction(async (statements) => {
        isChanged = false;
        const queue = await lock(statements, threadId);
        return work({
          ...queue,
          note() {
            isChanged = true;
            return queue.note();
          },
        });
      });
      if (isChanged) announce();
      return result;
    },
    async drop(statements, threadId) {
      await lock(statements, threadId);
      await note(statements, threadId);
      for (const table of TABLES)
        await statements.query(`DELETE FROM ${table} WHERE thread_id = $1`, threadId);
    },
  };
}
