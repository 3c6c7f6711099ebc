import type { Clock } from "../../../base/clock.ts";
import { type StoredWait, toWait } from "../../rows/wait-rows.ts";
import { clipWait, type Waits } from "../../waits.ts";
import type { Connection } from "./connection.ts";
import { createFencedWrite } from "./lease-table.ts";

const PUT = `
  INSERT OR REPLACE INTO turn_waits (thread_id, turn_id, reason, since_ms, until_ms, attempt, message, turn)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const REMOVE = "DELETE FROM turn_waits WHERE thread_id = ? AND turn_id = ? RETURNING 1";
const DROP = "DELETE FROM turn_waits WHERE thread_id = ?";
const FIND = "SELECT * FROM turn_waits WHERE thread_id = ?";
const LIST = "SELECT * FROM turn_waits ORDER BY until_ms, thread_id LIMIT ?";
const DUE = "SELECT thread_id FROM turn_waits WHERE until_ms <= ? ORDER BY until_ms, thread_id";
const LATER = "SELECT thread_id, until_ms FROM turn_waits WHERE until_ms > ? ORDER BY until_ms, thread_id";

export interface SqliteWaits {
  readonly waits: Waits;
  /** Deletes the wait of a thread, within the caller's transaction. */
  drop(threadId: string): void;
}

/** Waits in the table `turn_waits`. */
export function createSqliteWaits(
  connection: Pick<Connection, "prepare" | "write">,
  { owner, clock }: { readonly owner: string; readonly clock: Pick<Clock, "now"> },
): SqliteWaits {
  const { prepare } = connection;
  const fenced = createFencedWrite(connection, owner);
  return {
    drop: (threadId) => void prepare(DROP).run(threadId),
    waits: {
      async put(fence, given) {
        return fenced(fence, () => {
          const { threadId } = fence;
          const wait = { ...clipWait(given), threadId, sinceMs: clock.now() };
          const { turn, reason, sinceMs, untilMs, attempt, message } = wait;
          const times = [sinceMs, Math.ceil(untilMs), attempt] as const;
          prepare(PUT).run(threadId, turn.turnId, reason, ...times, message, JSON.stringify(turn));
          return { kind: "kept" as const, wait };
        });
      },
      remove: async (fence, turnId) =>
        fenced(fence, () => prepare(REMOVE).get(fence.threadId, turnId) !== undefined),
      async find(threadId) {
        const row = prepare(FIND).get(threadId);
        return row === undefined ? null : toWait(row as StoredWait);
      },
      list: async (limit) => (prepare(LIST).all(limit) as StoredWait[]).map(toWait),
      async due() {
        const now = clock.now();
        const later = prepare(LATER).all(now) as Pick<StoredWait, "thread_id" | "until_ms">[];
        return {
          threadIds: (prepare(DUE).all(now) as Pick<StoredWait, "thread_id">[]).map(idOf),
          laterIds: later.map(idOf),
          nextAtMs: later[0]?.until_ms ?? null,
        };
      },
    },
  };
}

const idOf = ({ thread_id: threadId }: Pick<StoredWait, "thread_id">): string => threadId;
