/** The store of one machine: rollout files, and a database beside them. */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { closeAll } from "../../base/tasks.ts";
import type { Decisions } from "../decisions.ts";
import type { Effect } from "../journal.ts";
import type { FactSource, Fence, Leases, NodeInfo } from "../leases.ts";
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
  const holding = createHolding(leases);
  const queue = confirmedQueue(tables.queue, holding);
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
    decisions: confirmedDecisions(tables.decisions, holding),
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
    await queue.settle(fence, rowId, turnId, { kind: "started", preview });
}

/** Asking for it makes the database look something up, and little more. */
const NO_THREAD = "";

type Holding = <S extends FactSource, T>(
  source: S,
  write: (source: S) => Promise<T>,
) => Promise<T | { readonly kind: "fenced" }>;

/** Has a lease in the table again, should the database be another one than it was, and writes once more. */
function createHolding(leases: Leases): Holding {
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

function confirmedDecisions(decisions: Decisions, holding: Holding): Decisions {
  return {
    record: (source, matter, verdict) => holding(source, (held) => decisions.record(held, matter, verdict)),
    open: (source, matter) => holding(source, (held) => decisions.open(held, matter)),
    answer: (asked, verdict) => decisions.answer(asked, verdict),
    close: (source, asked, verdict) => holding(source, (held) => decisions.close(held, asked, verdict)),
    closeUnanswered: (fence) => holding(fence, (held) => decisions.closeUnanswered(held)),
    list: (query) => decisions.list(query),
  };
}

function confirmedQueue(queue: Queue, holding: Holding): Queue {
  return {
    ...queue,
    claim: (fence, turnId, rowId) => holding(fence, (held) => queue.claim(held, turnId, rowId)),
    settle: (fence, rowId, turnId, outcome) =>
      holding(fence, (held) => queue.settle(held, rowId, turnId, outcome)),
    recover: (fence, hasStarted, failure) =>
      holding(fence, (held) => queue.recover(held, hasStarted, failure)),
  };
}
