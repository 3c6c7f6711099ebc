/** The store of one machine: rollout files and a SQLite database. */
import type { Clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { closeAll } from "../../base/tasks.ts";
import type { Decisions } from "../decisions.ts";
import type { Leases, NodeInfo } from "../leases.ts";
import { missingThread, storeRefusal } from "../refusal.ts";
import { retryFenced } from "../retry-fenced.ts";
import { LOCAL_SCOPE } from "../scope.ts";
import type { Store } from "../store.ts";
import type { ThreadStore } from "../thread-store.ts";
import { createFileEffects } from "./file-effects.ts";
import { createFileOutbox } from "./file-outbox.ts";
import { databaseOf } from "./sqlite/database-file.ts";
import { openSqliteTables, type SqliteTables } from "./sqlite/sqlite-tables.ts";
import { FileLeases } from "./threads/file-leases.ts";
import { openFileThreads } from "./threads/file-thread-store.ts";
import { currentNode, ownerName } from "./threads/lease-owner.ts";

/** Options that only a store in files has. */
export interface FileTuning {
  /** `os`: writes survive the process; `fsync`: they survive the machine. */
  readonly durability?: "os" | "fsync";
  /** Whether lock files announce writers to programs that do not use the database. */
  readonly lockFiles?: boolean;
  /** Finds the program that locks them; null if there is none. `flock` by default. */
  readonly lockProgram?: () => string | null;
  /** How many threads a list indexes before it queries again; doubled with each attempt. */
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
  /** Deletes the queue and the tokens of a thread and disables its schedules, as the deletion of the thread does. */
  forgetQueue(threadId: string): Promise<void>;
}

export function openFileStore(options: FileStoreOptions): FileStore {
  const { home, clock, log, durability = "os" } = options;
  const node = currentNode(options.createId());
  const owner = ownerName(node);
  const onLoss = (what: string) => log.warn(what);
  const tables = openSqliteTables(databaseOf(home), { durability, owner, clock, onLoss });
  return createFileStore({ ...options, node }, tables);
}

/** Takes ownership of the tables, which must have been opened with the owner name of the node. */
export function createFileStore(
  options: FileStoreOptions & { readonly node: NodeInfo },
  tables: SqliteTables,
): FileStore {
  const { index } = tables;
  const leases = new FileLeases({ ...options, table: index });
  const membership = leases.join(options.node);
  const retried = retryFenced(leases, tables);
  const { queue } = retried;
  const threads = openFileThreads({
    ...options,
    index,
    leases,
    effects: createFileEffects({ ...options, queue, outbox: tables.outbox, owner: ownerName(options.node) }),
  });
  const store: FileStore = {
    forScope: ({ tenant }) => (tenant === LOCAL_SCOPE.tenant ? store : foreignTenantView(store, tenant)),
    forgetQueue: tables.forgetQueue,
    threads,
    files: threads.paths,
    leases,
    membership,
    decisions: retried.decisions,
    queue,
    schedules: tables.schedules,
    wakeTokens: tables.wakeTokens,
    devices: tables.devices,
    audit: tables.audit,
    outbox: createFileOutbox(tables.outbox, { threads, clock: options.clock }),
    waits: retried.waits,
    activity: { ...tables.activity.reads, catchUp: threads.countActivity(tables.activity) },
    receipts: tables.receipts,
    isHeld: (threadId) => leases.isHeld(threadId),
    ping: async () => void (await index.leaseOwner(NO_THREAD)),
    close: () => closeAll([() => threads.close(), () => leases.close(), () => tables.close()]),
  };
  return store;
}

/** The view of another tenant: a home belongs to one tenant. */
function foreignTenantView(store: Store, tenant: string): Store {
  const decisions: Decisions = {
    ...store.decisions,
    answer: async () => ({ kind: "late" }),
    list: async () => [],
    openQuestions: async () => [],
    findAnswer: async () => null,
  };
  return { ...store, threads: createForeignThreads(tenant), decisions, files: null };
}

/** A lookup of this id is a minimal query. */
const NO_THREAD = "";

const EMPTY_PAGE = { kind: "page", data: [], nextCursor: null, backwardsCursor: null } as const;

/** The threads of a tenant that does not own the home: none, and none can be created. */
function createForeignThreads(tenant: string): ThreadStore {
  const missing = async (threadId: string) => missingThread(threadId);
  return {
    create() {
      throw new AppError(
        "store.foreignTenant",
        `a home in files has one tenant: it cannot store threads of ${tenant}`,
      );
    },
    journal: () => null,
    open: missing,
    fork: missing,
    copy: missing,
    revert: missing,
    list: async () => EMPTY_PAGE,
    search: async () => EMPTY_PAGE,
    read: async () => null,
    turns: missing,
    items: missing,
    itemsById: missing,
    timeline: missing,
    searchOccurrences: missing,
    async *lines() {},
    end: async () => null,
    archive: missing,
    unarchive: async (threadId) =>
      storeRefusal("notArchived", `no archived rollout found for thread id ${threadId}`),
    delete: missing,
    rename: missing,
    updateMetadata: missing,
    setGoal: missing,
    readStates: async () => new Map(),
    setReadState: async () => false,
  };
}
