/** The store that several machines share: PostgreSQL. */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { closeAll, once } from "../../base/tasks.ts";
import type { Effect } from "../journal.ts";
import type { NodeInfo } from "../leases.ts";
import { retryFenced } from "../retry-fenced.ts";
import { LOCAL_SCOPE } from "../scope.ts";
import type { Store } from "../store.ts";
import type { PostgresDatabase, Statements } from "./connection/database.ts";
import { createGroupCommit } from "./journal/group-commit.ts";
import { createFencedTransaction } from "./leases/fenced.ts";
import { createPostgresLeases, type PostgresLeases } from "./leases/postgres-leases.ts";
import { createPostgresQueue } from "./queue/postgres-queue.ts";
import { createPostgresActivity } from "./records/postgres-activity.ts";
import { createPostgresAudit } from "./records/postgres-audit.ts";
import { createPostgresDecisions } from "./records/postgres-decisions.ts";
import { createPostgresDevices } from "./records/postgres-devices.ts";
import { createPostgresOutbox } from "./records/postgres-outbox.ts";
import { createPostgresReceipts } from "./records/postgres-receipts.ts";
import { createPostgresSchedules } from "./records/postgres-schedules.ts";
import { createPostgresWaits } from "./records/postgres-waits.ts";
import { createPostgresWakeTokens } from "./records/postgres-wake-tokens.ts";
import { createPostgresThreads } from "./threads/postgres-threads.ts";
import { createThreadRows } from "./threads/thread-rows.ts";

export interface PostgresStoreOptions {
  /** Whose schema is up to date. The store closes it. */
  readonly database: PostgresDatabase;
  readonly node: NodeInfo;
  /** For timers: announcements, polls and renewals. */
  readonly clock: Clock;
  /** For deadlines of appends, which pass in real time. */
  readonly realClock: Clock;
  readonly log: Logger;
  readonly maxDecisions?: number | undefined;
  readonly maxDeliveries?: number | undefined;
}

export interface PostgresStore extends Store {
  readonly leases: PostgresLeases;
  /** Deletes the queue and the tokens of a thread and disables its schedules, as the deletion of the thread does. */
  forgetQueue(threadId: string): Promise<void>;
  /** Resolves when this process has announced its changes of queues, and has been notified of those of others. */
  settleQueues(): Promise<void>;
}

export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { database, node, clock, realClock, log } = options;
  const nodeId = node.id;
  const leases = createPostgresLeases({ database, clock, log });
  const membership = leases.join(node);
  const shared = createSharedPorts(options);
  const { queue, changes, start } = shared.queue;
  const commits = createGroupCommit({
    database,
    nodeId,
    clock: realClock,
    log,
    async applyEffects(statements, threadId, effects) {
      for (const effect of effects) await applyEffect(statements, threadId, effect);
    },
    onEffects: changes.announce,
  });

  async function applyEffect(statements: Statements, threadId: string, effect: Effect): Promise<void> {
    if (effect.kind === "queueStarted") await start(statements, threadId, effect);
    else await shared.outbox.enqueueWithin(statements, effect.deliveries);
  }

  const fenced = createFencedTransaction(database, nodeId);
  const rows = createThreadRows(database);
  const now = () => database.time.now();
  const tenants = new Map<string, ReturnType<typeof openTenant>>();
  const close = once(() =>
    closeAll([
      ...[...tenants.values()].map(
        ({ threads }) =>
          () =>
            threads.close(),
      ),
      () => commits.idle(),
      () => changes.close(),
      () => leases.close(),
      () => database.close(),
    ]),
  );

  /** The parts of the store that are separate for each tenant. */
  function openTenant(tenant: string) {
    const threads = createPostgresThreads({
      database,
      statements: database,
      rows,
      leases,
      commits,
      nodeId,
      tenant,
      now,
      deleteRelated: shared.deleteRelated,
      onDeleted: changes.announce,
    });
    const decisions = createPostgresDecisions({ ...options, fenced, tenant });
    return { threads, ...retryFenced(leases, { decisions, queue, waits: shared.ports.waits }) };
  }

  function viewOf(tenant: string): PostgresStore {
    const own = tenants.get(tenant) ?? openTenant(tenant);
    tenants.set(tenant, own);
    return {
      ...shared.ports,
      ...own,
      leases,
      membership,
      files: null,
      forScope: (scope) => viewOf(scope.tenant),
      forgetQueue: shared.forget,
      settleQueues: changes.settle,
      isHeld: (threadId) => leases.isHeld(threadId),
      ping: async () => void (await database.query("SELECT 1")),
      close: close.get,
    };
  }

  return viewOf(LOCAL_SCOPE.tenant);
}

/** The parts that all tenants share. */
function createSharedPorts({ database, node, clock, log, maxDeliveries }: PostgresStoreOptions) {
  const nodeId = node.id;
  const fenced = createFencedTransaction(database, nodeId);
  const queue = createPostgresQueue({ database, nodeId, clock, log });
  const schedules = createPostgresSchedules(database);
  const wakeTokens = createPostgresWakeTokens(database);
  const waits = createPostgresWaits(database, fenced);
  const outbox = createPostgresOutbox({ database, nodeId, maxDeliveries });

  async function deleteRelated(statements: Statements, threadId: string): Promise<void> {
    for (const { drop } of [queue, schedules, wakeTokens, waits]) await drop(statements, threadId);
  }

  return {
    queue,
    outbox,
    deleteRelated,
    async forget(threadId: string): Promise<void> {
      await database.transaction((statements) => deleteRelated(statements, threadId));
      queue.changes.announce();
    },
    ports: {
      schedules: schedules.schedules,
      wakeTokens: wakeTokens.tokens,
      waits: waits.waits,
      outbox,
      devices: createPostgresDevices(database),
      audit: createPostgresAudit(database),
      activity: createPostgresActivity(database),
      receipts: createPostgresReceipts(database, clock),
    },
  };
}
