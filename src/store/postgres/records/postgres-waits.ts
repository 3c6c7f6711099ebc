/** Turns that wait for the end of a usage limit, in PostgreSQL. */
import { type StoredWait, toWait } from "../../rows/wait-rows.ts";
import { clipWait, type Waits } from "../../waits.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import type { FencedTransaction } from "../leases/fenced.ts";

const PUT = `
  INSERT INTO turn_wait (thread_id, turn_id, reason, since_ms, until_ms, attempt, message, turn)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (thread_id) DO UPDATE SET turn_id = excluded.turn_id, reason = excluded.reason,
    since_ms = excluded.since_ms, until_ms = excluded.until_ms, attempt = excluded.attempt,
    message = excluded.message, turn = excluded.turn`;
const REMOVE = "DELETE FROM turn_wait WHERE thread_id = $1 AND turn_id = $2 RETURNING 1";
const DROP = "DELETE FROM turn_wait WHERE thread_id = $1";
const FIND = "SELECT * FROM turn_wait WHERE thread_id = $1";
const LIST = "SELECT * FROM turn_wait ORDER BY until_ms, thread_id LIMIT $1";
const ALL = "SELECT thread_id, until_ms FROM turn_wait ORDER BY until_ms, thread_id";

export interface PostgresWaits {
  readonly waits: Waits;
  /** Deletes the wait of a thread, within a transaction of the caller. */
  drop(statements: Statements, threadId: string): Promise<void>;
}

export function createPostgresWaits(
  { query, time }: PostgresDatabase,
  fenced: FencedTransaction,
): PostgresWaits {
  return {
    drop: async (statements, threadId) => void (await statements.query(DROP, threadId)),
    waits: {
      put: (fence, given) =>
        fenced(fence, async (statements) => {
          const { threadId } = fence;
          const wait = { ...clipWait(given), threadId, sinceMs: time.now() };
          const { turn, reason, sinceMs, untilMs, attempt, message } = wait;
          const times = [sinceMs, Math.ceil(untilMs), attempt];
          const values = [threadId, turn.turnId, reason, ...times, message, JSON.stringify(turn)];
          await statements.query(PUT, ...values);
          return { kind: "kept" as const, wait };
        }),
      remove: (fence, turnId) =>
        fenced(
          fence,
          async (statements) => (await statements.query(REMOVE, fence.threadId, turnId)).length > 0,
        ),
      async find(threadId) {
        const [row] = await query<StoredWait>(FIND, threadId);
        return row === undefined ? null : toWait(row);
      },
      list: async (limit) => (await query<StoredWait>(LIST, limit)).map(toWait),
      async due() {
        const now = time.now();
        const all = await query<Pick<StoredWait, "thread_id" | "until_ms">>(ALL);
        const later = all.filter((wait) => wait.until_ms > now);
        return {
          threadIds: all.filter((wait) => wait.until_ms <= now).map((wait) => wait.thread_id),
          laterIds: later.map((wait) => wait.thread_id),
          nextAtMs: later[0]?.until_ms ?? null,
        };
      },
    },
  };
}
