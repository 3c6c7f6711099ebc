import { type Clock, systemClock } from "../../../base/clock.ts";
import type { ReceiptLedger } from "../../../lifecycle/receipts/ledger.ts";
import type { Decisions } from "../../decisions.ts";
import type { Queue } from "../../queue.ts";
import type { HistoryIndex } from "../index/history-index.ts";
import { type ConnectionOptions, openConnection } from "./connection.ts";
import { createLockWait } from "./lock-wait.ts";
import { recoverCalls } from "./recover-calls.ts";
import { createSqliteDecisions } from "./sqlite-decisions.ts";
import { createSqliteIndex } from "./sqlite-index.ts";
import { createSqliteQueue } from "./sqlite-queue.ts";
import { createSqliteReceipts } from "./sqlite-receipts.ts";

/** What a home keeps beside its files. */
export interface SqliteTables {
  readonly index: HistoryIndex;
  readonly decisions: Decisions;
  readonly queue: Queue;
  readonly receipts: ReceiptLedger;
  /** As the deletion of its thread does it. */
  forgetQueue(threadId: string): Promise<void>;
  close(): Promise<void>;
}

export interface TableOptions extends ConnectionOptions {
  /** Whose leases decisions and claims are written under; nobody's unless given. */
  readonly owner?: string;
  readonly maxDecisions?: number;
  /** The one that queued turns wait by; the system's unless given. */
  readonly clock?: Clock;
  /** How long a call waits for another process's lock; half a minute unless given. */
  readonly maxLockWaitMs?: number;
}

/** As long as short writes of others take. Whoever has to wait longer does it without holding up this process. */
const BUSY_TIMEOUT_MS = 5;

/** One SQLite file, in WAL mode so that readers and the writer do not wait for one another. */
export function openSqliteTables(
  file: string,
  { owner = "", maxDecisions, maxLockWaitMs, clock = systemClock, ...options }: TableOptions = {},
): SqliteTables {
  const connection = openConnection(file, {
    ...options,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    // Many may come in one moment, and each would wait as long.
    onLocked: () => connection.setBusyTimeout(0),
  });
  const wait = createLockWait({
    file,
    maxWaitMs: maxLockWaitMs,
    onOver: () => connection.setBusyTimeout(BUSY_TIMEOUT_MS),
  });
  const recovering = <T extends object>(port: T): T => recoverCalls(port, connection, wait);
  const queue = createSqliteQueue(connection, owner, clock);
  return {
    index: recovering(createSqliteIndex(connection, queue.drop)),
    decisions: recovering(createSqliteDecisions(connection, { owner, clock }, maxDecisions)),
    queue: recovering(queue.queue),
    receipts: recovering(createSqliteReceipts(connection, clock)),
    forgetQueue: async (threadId) => connection.write(() => queue.drop(threadId)),
    async close() {
      queue.close();
      wait.close();
      connection.close();
    },
  };
}
