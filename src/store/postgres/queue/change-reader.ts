/** Reads which queues other processes have changed since it began, each change once. */
import type { PostgresDatabase } from "../connection/database.ts";

/** Longer than a transaction takes: its entries have the time at which they were inserted. */
const OVERLAP_MS = 15_000;
/** A change shortly before the beginning counts as new: the time of the server is known roughly. */
const LOOK_BACK_MS = 200;

const SINCE = `
  SELECT number, thread_id AS "threadId", node_id AS "nodeId" FROM queue_change WHERE at_ms >= $1 ORDER BY number`;
const BEFORE = "SELECT number FROM queue_change WHERE at_ms >= $1 AND at_ms < $2";

interface Change {
  readonly number: number;
  readonly threadId: string;
  readonly nodeId: string;
}

interface Position {
  readonly since: number;
  /** Entries since then that were read. */
  readonly seen: ReadonlySet<number>;
}

export interface ChangeReader {
  /** The threads that were changed since the last call. Calls must not overlap. */
  read(): Promise<ReadonlySet<string>>;
}

export function createChangeReader({ query, time }: PostgresDatabase, nodeId: string): ChangeReader {
  const beganAt = time.now();
  let position: Position | null = null;

  async function begin(): Promise<Position> {
    const since = beganAt - OVERLAP_MS;
    const known = await query<Pick<Change, "number">>(BEFORE, since, beganAt - LOOK_BACK_MS);
    return { since, seen: new Set(known.map(({ number }) => number)) };
  }

  return {
    async read() {
      const before = position ?? (await begin());
      const now = time.now();
      const changes = await query<Change>(SINCE, before.since);
      const since = Math.max(before.since, now - OVERLAP_MS);
      position = { since, seen: new Set(changes.map(({ number }) => number)) };
      const fresh = changes.filter((change) => !before.seen.has(change.number) && change.nodeId !== nodeId);
      return new Set(fresh.map(({ threadId }) => threadId));
    },
  };
}
