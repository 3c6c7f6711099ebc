import type { Clock } from "../../../base/clock.ts";
import type { StoredWakeToken, WakeTokens } from "../../wake-tokens.ts";
import type { Connection } from "./connection.ts";

export interface SqliteWakeTokens {
  readonly tokens: WakeTokens;
  /** Deletes the tokens of a thread, within the caller's transaction. */
  drop(threadId: string): void;
}

const COUNT = "SELECT COUNT(*) AS count FROM wake_tokens WHERE thread_id = ?";
const INSERT = `
  INSERT INTO wake_tokens (token_id, thread_id, hash, name, created_at_ms) VALUES (?, ?, ?, ?, ?) RETURNING *`;
const LIST = "SELECT * FROM wake_tokens WHERE thread_id = ? ORDER BY number";
const REVOKE = "DELETE FROM wake_tokens WHERE thread_id = ? AND token_id = ? RETURNING number";
const FIND = "SELECT * FROM wake_tokens WHERE hash = ?";
const DROP = "DELETE FROM wake_tokens WHERE thread_id = ?";

interface TokenRow {
  readonly token_id: string;
  readonly thread_id: string;
  readonly name: string | null;
  readonly created_at_ms: number;
}

/** Tokens in the table `wake_tokens`. */
export function createSqliteWakeTokens(
  connection: Pick<Connection, "prepare" | "write">,
  clock: Pick<Clock, "now">,
): SqliteWakeTokens {
  return {
    drop: (threadId) => void connection.prepare(DROP).run(threadId),
    tokens: {
      add: async ({ tokenId, threadId, hash, name }, maxPerThread) =>
        connection.write(() => {
          const { count } = connection.prepare(COUNT).get(threadId) as { readonly count: number };
          if (count >= maxPerThread) return { kind: "full" };
          const row = connection.prepare(INSERT).get(tokenId, threadId, hash, name, clock.now());
          return { kind: "added", token: toToken(row) };
        }),
      list: async (threadId) => connection.prepare(LIST).all(threadId).map(toToken),
      revoke: async (threadId, tokenId) => connection.prepare(REVOKE).get(threadId, tokenId) !== undefined,
      async find(hash) {
        const found = connection.prepare(FIND).get(hash);
        return found === undefined ? null : toToken(found);
      },
    },
  };
}

function toToken(found: unknown): StoredWakeToken {
  const row = found as TokenRow;
  return {
    tokenId: row.token_id,
    threadId: row.thread_id,
    name: row.name,
    createdAtMs: row.created_at_ms,
  };
}
