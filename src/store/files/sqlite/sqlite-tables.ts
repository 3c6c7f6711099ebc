import { type Clock, systemClock } from "../../../base/clock.ts";
import type { ReceiptLedger } from "../../../lifecycle/receipts/ledger.ts";
import type { AuditLog } from "../../audit.ts";
import type { Decisions } from "../../decisions.ts";
import type { Devices } from "../../devices.ts";
import type { Queue } from "../../queue.ts";
import type { Schedules } from "../../schedules.ts";
import type { Waits } from "../../waits.ts";
import type { WakeTokens } from "../../wake-tokens.ts";
import type { HistoryIndex } from "../index/history-index.ts";
import { type Connection, type ConnectionOptions, openConnection } from "./connection.ts";
import { createLockWait, isLocked, type LockWait } from "./lock-wait.ts";
import { type ActivityTables, createSqliteActivity } from "./sqlite-activity.ts";
import { createSqliteAudit } from "./sqlite-audit.ts";
import { createSqliteDecisions } from "./sqlite-decisions.ts";
import { createSqliteDevices } from "./sqlite-devices.ts";
import { createSqliteIndex } from "./sqlite-index.ts";
import { createSqliteOutbox, type SqliteOutbox } from "./sqlite-outbox.ts";
import { createSqliteQueue } from "./sqlite-queue.ts";
import { createSqliteReceipts } from "./sqlite-receipts.ts";
import { createSqliteSchedules } from "./sqlite-schedules.ts";
import { createSqliteWaits } from "./sqlite-waits.ts";
import { createSqliteWakeTokens } from "./sqlite-wake-tokens.ts";

/** The data of a home that is not in its files. */
export interface SqliteTables {
  readonly index: HistoryIndex;
  readonly decisions: Decisions;
  readonly queue: Queue;
  readonly schedules: Schedules;
  readonly wakeTokens: WakeTokens;
  readonly devices: Devices;
  readonly audit: AuditLog;
  /** The threads that schedules run in, or will once they are resumed. */
  scheduledThreads(): Promise<readonly string[]>;
  readonly outbox: SqliteOutbox;
  readonly waits: Waits;
  readonly activity: ActivityTables;
  readonly receipts: ReceiptLedger;
  /** Deletes the queue and the tokens of a thread and disables its schedules, as the deletion of the thread does. */
  forgetQueue(threadId: string): Promise<void>;
  close(): Promise<void>;
}

export interface TableOptions extends ConnectionOptions {
  /** The owner of the leases under which decisions and claims are written; by default none. */
  readonly owner?: string;
  readonly maxDecisions?: number;
  readonly maxDeliveries?: number;
  /** The clock of queued turns; by default, the system's. */
  readonly clock?: Clock;
  /** How long a call waits for another process's lock; 30 s by default. */
  readonly maxLockWaitMs?: number;
}

/** Enough for short writes of other processes. A longer wait is asynchronous and does not block this process. */
const SHORT_BUSY_TIMEOUT_MS = 5;

/** Opens a SQLite file in WAL mode, where readers and the writer do not block one another. */
export function openSqliteTables(
  file: string,
  {
    owner = "",
    maxDecisions,
    maxDeliveries,
    maxLockWaitMs,
    clock = systemClock,
    ...options
  }: TableOptions = {},
): SqliteTables {
  const connection = openConnection(file, {
    ...options,
    busyTimeoutMs: SHORT_BUSY_TIMEOUT_MS,
    // While the database is locked, further calls must not block this process as well.
    onLocked: () => connection.setBusyTimeout(0),
  });
  const wait = createLockWait({
    file,
    maxWaitMs: maxLockWaitMs,
    onOver: () => connection.setBusyTimeout(SHORT_BUSY_TIMEOUT_MS),
  });
  const recovering = <T extends object>(port: T): T => recoverCalls(port, connection, wait);
  const queue = createSqliteQueue(connection, owner, clock);
  const schedules = createSqliteSchedules(connection, clock);
  const wakeTokens = createSqliteWakeTokens(connection, clock);
  const { waits, drop: dropWait } = createSqliteWaits(connection, { owner, clock });
  const activity = createSqliteActivity(connection, clock);
  const dropRelated = (threadId: string): void => {
    for (const { drop } of [queue, schedules, wakeTokens]) drop(threadId);
    dropWait(threadId);
  };
  return {
    index: recovering(createSqliteIndex(connection, clock, dropRelated)),
    decisions: recovering(createSqliteDecisions(connection, { owner, clock }, maxDecisions)),
    queue: recovering(queue.queue),
    waits: recovering(waits),
    schedules: recovering(schedules.schedules),
    wakeTokens: recovering(wakeTokens.tokens),
    devices: recovering(createSqliteDevices(connection, clock)),
    audit: recovering(createSqliteAudit(connection, clock)),
    scheduledThreads: async () => schedules.threads(),
    outbox: recovering(createSqliteOutbox(connection, { owner, clock, maxDeliveries })),
    activity: { ...activity, reads: recovering(activity.reads), ...recovering({ count: activity.count }) },
    receipts: recovering(createSqliteReceipts(connection, clock)),
    forgetQueue: async (threadId) => connection.write(() => dropRelated(threadId)),
    async close() {
      queue.close();
      wait.close();
      connection.close();
    },
  };
}

type Call = (...values: readonly unknown[]) => unknown;

/**
 * Wraps a port so that its calls recover: a call that fails because of another process's lock waits for it, and one
 * that fails because of a damaged file is retried on its replacement. Each call must be one transaction or safe to
 * repeat.
 */
function recoverCalls<T extends object>(
  port: T,
  connection: Pick<Connection, "replaceDamaged">,
  wait: LockWait,
): T {
  const members = Object.entries(Object.getOwnPropertyDescriptors(port)).map(([name, member]) => {
    const call = member.value as Call | undefined;
    if (typeof call !== "function") return [name, member] as const;
    const recovering: Call = (...values) => {
      const first = call(...values);
      if (!(first instanceof Promise)) return first;
      return first.catch((error: unknown) => {
        if (isLocked(error)) return wait.retry(async () => call(...values));
        if (!connection.replaceDamaged(error)) throw error;
        return call(...values);
      });
    };
    return [name, { ...member, value: recovering }] as const;
  });
  return Object.defineProperties({}, Object.fromEntries(members)) as T;
}
