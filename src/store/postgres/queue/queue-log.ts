/** The log of started queue rows, in the table `queue_started`. */
import {
  clipEnd,
  encodeClientKey,
  MAX_STARTED,
  type QueueLog,
  STARTED_AGE_MS,
  type StartedRow,
} from "../../queue-log.ts";
import { type LogRow, toStartedRow } from "../../rows/started-rows.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import type { FencedTransaction } from "../leases/fenced.ts";

const PRUNE_EVERY = 100;

const INSERT = `
  INSERT INTO queue_started (thread_id, row_id, client_id, turn_id, preview, started_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6) RETURNING number`;
const PRUNE = "DELETE FROM queue_started WHERE number <= $1 OR started_at_ms <= $2";
const OF_KEY = `
  SELECT * FROM queue_started
  WHERE thread_id = $1 AND md5(client_id) = md5($2) AND client_id = $2 AND started_at_ms > $3
  ORDER BY number DESC LIMIT 1`;
const LIST = `
  SELECT * FROM queue_started
  WHERE started_at_ms > $1 AND ($2::text IS NULL OR thread_id = $2) AND (NOT $3::boolean OR how IS NULL)
  ORDER BY number DESC LIMIT $4`;
const END = `
  UPDATE queue_started SET how = $3, ended_at_ms = $4, duration_ms = $5, tokens = $6, error = $7
  WHERE thread_id = $1 AND turn_id = $2 AND how IS NULL RETURNING number`;

export interface PostgresQueueLog {
  readonly log: QueueLog;
  /** Must run in the transaction that removes the row from its queue. */
  add(statements: Statements, row: Omit<StartedRow, "startedAtMs" | "end">): Promise<void>;
  /** As `startedBy`, within the caller's transaction. */
  find(statements: Statements, threadId: string, clientUserMessageId: string): Promise<StartedRow | null>;
}

export function createPostgresQueueLog(
  database: PostgresDatabase,
  fenced: FencedTransaction,
): PostgresQueueLog {
  const oldest = (): number => database.time.now() - STARTED_AGE_MS;

  async function find({ query }: Statements, threadId: string, key: string): Promise<StartedRow | null> {
    const [found] = await query<LogRow>(OF_KEY, threadId, encodeClientKey(key), oldest());
    return found === undefined ? null : toStartedRow(found);
  }

  return {
    find,
    async add({ query }, { threadId, rowId, clientUserMessageId: key, turnId, preview }) {
      const mark = key === null ? null : encodeClientKey(key);
      const values = [threadId, rowId, mark, turnId, preview, database.time.now()];
      const [added] = await query<{ readonly number: number }>(INSERT, ...values);
      const number = added?.number ?? 0;
      if (number % PRUNE_EVERY === 0) await query(PRUNE, number - MAX_STARTED, oldest());
    },
    log: {
      startedBy: (threadId, key) => find(database, threadId, key),
      async started({ threadId = null, isOpen = false, limit }) {
        const rows = await database.query<LogRow>(LIST, oldest(), threadId, isOpen, limit);
        return rows.map(toStartedRow);
      },
      recordEnd: (fence, turnId, end) =>
        fenced(fence, async ({ query }) => {
          const { how, atMs, durationMs, tokens, error } = clipEnd(end);
          const values = [fence.threadId, turnId, how, atMs, durationMs, tokens, error];
          return (await query(END, ...values)).length > 0;
        }),
    },
  };
}
