/**
 * Notifies processes of changes that others make to queues in the same database. Every change inserts an entry. A
 * watcher polls SQLite's data version, which is cheap while no other process writes, and reads the entries only when it
 * has changed.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Connection } from "./connection.ts";

export interface QueueChanges {
  /** Must run in the transaction of the change. */
  note(threadId: string): void;
  /** Whether the queue of the thread has changed recently. */
  has(threadId: string): boolean;
  watch(onChange: (threadId: string) => void): () => void;
  close(): void;
}

const POLL_EVERY_MS = 200;
/** A watcher that missed more than this many changes is notified of every thread. */
const KEPT_CHANGES = 10_000;
const DROP_EVERY = 1000;

const NOTE = "INSERT INTO queue_changes (thread_id, owner) VALUES (?, ?) RETURNING number";
const DROP = "DELETE FROM queue_changes WHERE number <= ?";
const LAST = "SELECT COALESCE(MAX(number), 0) AS number FROM queue_changes";
const HAS = "SELECT 1 FROM queue_changes WHERE thread_id = ? LIMIT 1";
const SINCE = "SELECT number, thread_id, owner FROM queue_changes WHERE number > ? ORDER BY number";
const THREADS = "SELECT DISTINCT thread_id FROM queue_rows ORDER BY thread_id";

interface Change {
  readonly number: number;
  readonly thread_id: string;
  readonly owner: string;
}

/** The position of a watcher. */
interface WatchPosition {
  /** The epoch of the connection: entry numbers restart in another database. */
  readonly epoch: number;
  /** Changes with every write of another process. */
  readonly version: number;
  readonly number: number;
}

export function createQueueChanges(
  connection: Pick<Connection, "epoch" | "prepare">,
  owner: string,
  clock: Clock,
): QueueChanges {
  const listeners = new Set<(threadId: string) => void>();
  let position: WatchPosition | null = null;
  let cancel: (() => void) | null = null;

  const versionNow = (): number =>
    (connection.prepare("PRAGMA data_version").get() as { data_version: number }).data_version;

  function currentPosition(): WatchPosition {
    const { epoch } = connection;
    const version = versionNow();
    return { epoch, version, number: (connection.prepare(LAST).get() as Pick<Change, "number">).number };
  }

  /** Threads that other processes have changed since the last poll. */
  function poll(): ReadonlySet<string> {
    const before = position;
    if (before === null || before.epoch !== connection.epoch) {
      position = currentPosition();
      // After a reopen or an earlier read error, any queue may have changed.
      return new Set(threadsWithRows(connection));
    }
    // Read before the entries, so that a later write changes it again.
    const version = versionNow();
    if (version === before.version) return new Set();
    const changes = connection.prepare(SINCE).all(before.number) as Change[];
    position = { ...before, version, number: changes.at(-1)?.number ?? before.number };
    const isComplete = changes[0] === undefined || changes[0].number === before.number + 1;
    if (!isComplete) return new Set(threadsWithRows(connection));
    return new Set(changes.flatMap((change) => (change.owner === owner ? [] : [change.thread_id])));
  }

  function schedulePoll(): void {
    cancel = clock.after(
      POLL_EVERY_MS,
      () => {
        schedulePoll();
        for (const threadId of orElse(poll, new Set<string>()))
          for (const listener of listeners) listener(threadId);
      },
      { keepsAlive: false },
    );
  }

  function stop(): void {
    cancel?.();
    cancel = null;
  }

  return {
    note(threadId) {
      const { number } = connection.prepare(NOTE).get(threadId, owner) as Pick<Change, "number">;
      if (number % DROP_EVERY === 0) connection.prepare(DROP).run(number - KEPT_CHANGES);
    },
    has: (threadId) => connection.prepare(HAS).get(threadId) !== undefined,
    watch(onChange) {
      const listener = (threadId: string): void => onChange(threadId);
      if (listeners.size === 0) {
        position = orElse(currentPosition, null);
        schedulePoll();
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    close() {
      listeners.clear();
      stop();
    },
  };
}

/** Returns the fallback on an error: other calls report an unreadable database, and the next poll catches up. */
function orElse<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}

export function threadsWithRows(connection: Pick<Connection, "prepare">): string[] {
  return connection
    .prepare(THREADS)
    .all()
    .map((row) => (row as Pick<Change, "thread_id">).thread_id);
}
