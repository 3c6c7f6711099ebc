import { hostname } from "node:os";
import type { Clock } from "../../base/clock.ts";
import type { ReceiptLedger } from "../../lifecycle/receipts/ledger.ts";
import { createMemoryLedger } from "../../lifecycle/receipts/memory-ledger.ts";
import type { Leases } from "../leases.ts";
import { LOCAL_SCOPE } from "../scope.ts";
import type { Store } from "../store.ts";
import { createMemoryDecisions, type DecisionList } from "./memory-decisions.ts";
import { createMemoryLeases, type LeaseMarks } from "./memory-leases.ts";
import { createMemoryQueue, forgetQueue } from "./memory-queue.ts";
import { startClaimed } from "./memory-queue-claims.ts";
import type { MemoryThread } from "./memory-thread.ts";
import { createMemoryThreads } from "./memory-threads.ts";
import { emptyQueueMemory, type QueueMemory } from "./queue-memory.ts";

/** What stores in one memory share. */
export interface Memory {
  /** By tenant and id. */
  readonly threads: Map<string, Map<string, MemoryThread>>;
  readonly leases: LeaseMarks;
  readonly decisions: DecisionList;
  readonly queue: QueueMemory;
  readonly receipts: ReceiptLedger;
}

export function createMemory(): Memory {
  return {
    threads: new Map(),
    leases: new Map(),
    decisions: { entries: new Map(), answers: new Map(), tenants: new Map(), last: 0 },
    queue: emptyQueueMemory(),
    receipts: createMemoryLedger(),
  };
}

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** Names this store among those that share the memory. */
  readonly owner: string;
  /** Whether its process still runs. */
  readonly lives?: () => boolean;
  readonly maxDecisions?: number;
}

/** Processes that share a memory are one. */
const HERE = { pid: process.pid, host: hostname(), boot: "", namespace: "", start: null };

export interface MemoryStore extends Store {
  readonly leases: Leases;
  /** The queue of a thread, as its deletion does it. */
  forgetQueue(threadId: string): Promise<void>;
}

/** A store that forgets, and the plainest one: it says by its plainness what the others have to do. */
export function createMemoryStore(memory: Memory, options: MemoryStoreOptions): MemoryStore {
  const { clock, owner, lives = () => true, maxDecisions } = options;
  const leases = createMemoryLeases(memory.leases, { node: null, lives });
  const membership = leases.join({ ...HERE, id: owner });
  const queue = createMemoryQueue(memory.queue, { leases, clock, owner });
  const alsoForget = (threadId: string) => forgetQueue(memory.queue, { clock, owner }, threadId);
  const tenants = new Map<string, ReturnType<typeof openTenant>>();

  /** What a tenant has of its own. */
  function openTenant(tenant: string) {
    const kept = memory.threads.get(tenant) ?? new Map<string, MemoryThread>();
    memory.threads.set(tenant, kept);
    const threads = createMemoryThreads({
      threads: kept,
      leases,
      clock,
      alsoForget,
      apply: (threadId, { rowId, turnId, preview }) =>
        startClaimed(memory.queue, { clock, owner }, { threadId, rowId, turnId, preview }),
    });
    return {
      threads,
      decisions: createMemoryDecisions(memory.decisions, { leases, clock, tenant }, maxDecisions),
    };
  }

  function viewOf(tenant: string): MemoryStore {
    const own = tenants.get(tenant) ?? openTenant(tenant);
    tenants.set(tenant, own);
    return {
      ...own,
      forScope: (scope) => viewOf(scope.tenant),
      forgetQueue: async (threadId) => alsoForget(threadId),
      leases,
      membership,
      queue,
      receipts: memory.receipts,
      files: null,
      isHeld: (threadId) => leases.isHeld(threadId),
      ping: async () => {},
      async close() {
        for (const watcher of memory.queue.watchers)
          if (watcher.owner === owner) memory.queue.watchers.delete(watcher);
        for (const { threads } of tenants.values()) await threads.close();
        leases.close();
      },
    };
  }

  return viewOf(LOCAL_SCOPE.tenant);
}
