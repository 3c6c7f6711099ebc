/** The store of one machine: rollout files, and a database beside them. */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { closeAll } from "../../base/tasks.ts";
import type { Decisions } from "../decisions.ts";
import type { Effect } from "../journal.ts";
import type { Fence, Leases, NodeInfo, WriterFence } from "../leases.ts";
import type { Queue } from "../queue.ts";
import { LOCAL_SCOPE } from "../scope.ts";
import type { Store } from "../store.ts";
import { createForeignThreads } from "./foreign-threads.ts";
import { databaseOf } from "./sqlite/database-file.ts";
import { openSqliteTables, type SqliteTables } from "./sqlite/sqlite-tables.ts";
import { FileLeases } from "./threads/file-leases.ts";
import { openFileThreads } from "./threads/file-thread-store.ts";
import { nodeHere, ownerName } from "./threads/lease-owner.ts";

/** What can be set of a store in files alone. */
export interface FileTuning {
  /** `os` outlives the process, `fsync` the machine. */
  readonly durability?: "os" | "fsync";
  /** Whether programs that know nothing of the database are told of writers by lock files. */
  readonly lockFiles?: boolean;
  /** The program that locks them, as it is found now; null for none, `flock` unless given. */
  readonly lockProgram?: () => string | null;
  /** How many threads a list takes into the index before it looks again, at first. */
  readonly fillStep?: number;
}

export interface FileStoreOptions extends FileTuning {
  readonly home: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
}

export interface FileStore extends Store {
  readonly leases: Leases;
  /** The queue of a thread, as its deletion does it. */
  forgetQueue(threadId: string): Promise<void>;
}

export function openFileStore(options: FileStoreOptions): FileStore {
  const { home, clock, log, durability = "os" } = options;
  const node = nodeHere(options.createId());
  const owner = ownerName(node);
  const onLoss = (what: string) => log.warn(what);
  const tables = openSqliteTables(databaseOf(home), { durability, owner, clock, onLoss });
  return createFileStore({ ...options, node }, tables);
}

/** Over tables that are open already under the name of the node, which it closes in the end. */
export function createFileStore(
  options: FileStoreOptions & { readonly node: NodeInfo },
  tables: SqliteTables,
): FileStore {
  const { index } = tables;
  const leases = new FileLeases({ ...options, table: index });
  const membership = leases.join(options.node);
  const withLeaseRetry = createLeaseRetry(leases);
  const queue = retriedQueue(tables.queue, withLeaseRetry);
  const threads = openFileThreads({
    ...options,
    index,
    leases,
    applyEffects: (fence, effects) => applyEffects(queue, fence, effects),
  });
  const store: FileStore = {
    forScope: ({ tenant }) => (tenant === LOCAL_SCOPE.tenant ? store : foreign(store, tenant)),
    forgetQueue: tables.forgetQueue,
    threads,
    files: threads.paths,
    leases,
    membership,
    decisions: retriedDecisions(tables.decisions, withLeaseRetry),
    queue,
    receipts: tables.receipts,
    isHeld: (threadId) => leases.isHeld(threadId),
    ping: async () => void (await index.leaseOwner(NO_THREAD)),
    close: () => closeAll([() => threads.close(), () => leases.close(), () => tables.close()]),
  };
  return store;
}

/** A home has one tenant. */
function foreign(store: Store, tenant: string): Store {
  const decisions: Decisions = {
    ...store.decisions,
    answer: async () => ({ kind: "late" }),
    list: async () => [],
  };
  return { ...store, threads: createForeignThreads(tenant), decisions, files: null };
}

/** A claim that is not there any more was settled by whoever has the thread now. */
async function applyEffects(queue: Queue, fence: Fence, effects: readonly Effect[]): Promise<void> {
  for (const { rowId, turnId, preview } of effects)
    await queue.ack(fence, rowId, turnId, { kind: "started", preview });
}

/** Asking for it makes the database look something up, and little more. */
const NO_THREAD = "";

type WithLeaseRetry = <S extends WriterFence, T>(
  source: S,
  write: (source: S) => Promise<T>,
) => Promise<T | { readonly kind: "fenced" }>;

/** Has a lease in the table again, should the database be another one than it was, and writes once more. */
function createLeaseRetry(leases: Leases): WithLeaseRetry {
  return async (source, write) => {
    const outcome = await write(source);
    if ("ephemeral" in source || !isFenced(outcome)) return outcome;
    const fence = await leases.confirm(source);
    return fence === null ? outcome : write({ ...source, ...fence });
  };
}

function isFenced(outcome: unknown): boolean {
  return typeof outcome === "object" && outcome !== null && "kind" in outcome && outcome.kind === "fenced";
}

function retriedDecisions(decisions: Decisions, withLeaseRetry: WithLeaseRetry): Decisions {
  return {
    record: (source, request, verdict) =>
      withLeaseRetry(source, (held) => decisions.record(held, request, verdict)),
    open: (source, request) => withLeaseRetry(source, (held) => decisions.open(held, request)),
    answer: (asked, verdict) => decisions.answer(asked, verdict),
    close: (source, asked, verdict) =>
      withLeaseRetry(source, (held) => decisions.close(held, asked, verdict)),
    closeUnanswered: (fence) => withLeaseRetry(fence, (held) => decisions.closeUnanswered(held)),
    list: (query) => decisions.list(query),
  };
}

function retriedQueue(queue: Queue, withLeaseRetry: WithLeaseRetry): Queue {
  return {
    ...queue,
    claim: (fence, turnId, rowId) => withLeaseRetry(fence, (held) => queue.claim(held, turnId, rowId)),
    ack: (fence, rowId, turnId, outcome) =>
      withLeaseRetry(fence, (held) => queue.ack(held, rowId, turnId, outcome)),
    recover: (fence, hasStarted, failure) =>
      withLeaseRetry(fence, (held) => queue.recover(held, hasStarted, failure)),
  };
}
