import { join } from "node:path";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { ReceiptLedger } from "../../lifecycle/receipts/ledger.ts";
import type { Decisions } from "../decisions.ts";
import type { HistoryIndex } from "../files/index/history-index.ts";
import type { Queue } from "../queue.ts";
import { type ConnectionOptions, openConnection } from "./connection.ts";
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
  close(): Promise<void>;
}

export interface TableOptions extends ConnectionOptions {
  /** Whose leases decisions and claims are written under; nobody's unless given. */
  readonly owner?: string;
  readonly maxDecisions?: number;
  /** The one that queued turns wait by; the system's unless given. */
  readonly clock?: Clock;
}

/** The database file of a home. */
export function databaseOf(home: string): string {
  return join(home, "heddle.sqlite");
}

/** One SQLite file, in WAL mode so that readers and the writer do not wait for one another. */
export function openSqliteTables(
  file: string,
  { owner = "", maxDecisions, clock = systemClock, ...options }: TableOptions = {},
): SqliteTables {
  const connection = openConnection(file, options);
  const queue = createSqliteQueue(connection, owner, clock);
  return {
    index: createSqliteIndex(connection, queue.drop),
    decisions: createSqliteDecisions(connection, owner, maxDecisions),
    queue: queue.queue,
    receipts: createSqliteReceipts(connection, clock),
    async close() {
      queue.close();
      connection.close();
    },
  };
}
