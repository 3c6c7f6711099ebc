/** Tokens that wake threads, in PostgreSQL. */
import type { StoredWakeToken, WakeTokens } from "../../wake-tokens.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import { lockLimit } from "./lock-limit.ts";

const COLUMNS = 'token_id AS "tokenId", thread_id AS "threadId", name, created_at_ms AS "createdAtMs"';
const COUNT = "SELECT count(*) AS count FROM wake_token WHERE thread_id = $1";
const INSERT = `
  INSERT INTO wake_token (token_id, thread_id, hash, name, created_at_ms) VALUES ($1, $2, $3, $4, $5)
  RETURNING ${COLUMNS}`;
const LIST = `SELECT ${COLUMNS} FROM wake_token WHERE thread_id = $1 ORDER BY number`;
const REVOKE = "DELETE FROM wake_token WHERE thread_id = $1 AND token_id = $2 RETURNING number";
const FIND = `SELECT ${COLUMNS} FROM wake_token WHERE hash = $1`;
const DROP = "DELETE FROM wake_token WHERE thread_id = $1";

export interface PostgresWakeTokens {
  readonly tokens: WakeTokens;
  /** Deletes the tokens of a thread, within a transaction of the caller. */
  drop(statements: Statements, threadId: string): Promise<void>;
}

export function createPostgresWakeTokens({ query, transaction, time }: PostgresDatabase): PostgresWakeTokens {
  return {
    drop: async (statements, threadId) => void (await statements.query(DROP, threadId)),
    tokens: {
      add: ({ tokenId, threadId, hash, name }, maxPerThread) =>
        transaction(async (statements) => {
          await lockLimit(statements, "wakeTokens");
          const [taken] = await statements.query<{ readonly count: number }>(COUNT, threadId);
          if ((taken?.count ?? 0) >= maxPerThread) return { kind: "full" };
          const values = [tokenId, threadId, hash, name, time.now()];
          const [token] = await statements.query<StoredWakeToken>(INSERT, ...values);
          return { kind: "added", token: { ...(token as StoredWakeToken) } };
        }),
      list: (threadId) => query<StoredWakeToken>(LIST, threadId),
      revoke: (threadId, tokenId) =>
        transaction(async (statements) => (await statements.query(REVOKE, threadId, tokenId)).length > 0),
      find: async (hash) => (await query<StoredWakeToken>(FIND, hash))[0] ?? null,
    },
  };
}
