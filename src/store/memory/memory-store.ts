import { hostname } from "node:os";
import type { Clock } from "../../base/clock.ts";
import type { ReceiptLedger } from "../../lifecycle/receipts/ledger.ts";
import { createMemoryLedger } from "../../lifecycle/receipts/memory-ledger.ts";
import type { Leases } from "../leases.ts";
import { LOCAL_SCOPE } from "../scope.ts";
import type { Store } from "../store.ts";
import {
  type ActivityMemory,
  countLine,
  createMemoryActivity,
  emptyActivityMemory,
} from "./memory-activity.ts";
import { type AuditMemory, createMemoryAudit } from "./memory-audit.ts";
import { createMemoryDecisions, type DecisionList } from "./memory-decisions.ts";
import { createMemoryDevices, type DeviceMemory } from "./memory-devices.ts";
import { createMemoryLeases, type LeaseStates } from "./memory-leases.ts";
import { createMemoryOutbox, emptyOutboxMemory, type OutboxMemory } from "./memory-outbox.ts";
import { createMemoryQueue, forgetQueue } from "./memory-queue.ts";
import { startClaimed } from "./memory-queue-claims.ts";
import {
  createMemorySchedules,
  disableSchedules,
  emptyScheduleMemory,
  type ScheduleMemory,
} from "./memory-schedules.ts";
import type { MemoryThread } from "./memory-thread.ts";
import { createMemoryThreads } from "./memory-threads.ts";
import { createMemoryWaits, type WaitMap } from "./memory-waits.ts";
import { createMemoryWakeTokens, forgetWakeTokens, type WakeTokenMemory } from "./memory-wake-tokens.ts";
import { emptyQueueMemory, type QueueMemory } from "./queue-memory.ts";

/** The state that stores of one memory share. */
export interface Memory {
  /** By tenant and id. */
  readonly threads: Map<string, Map<string, MemoryThread>>;
  readonly leases: LeaseStates;
  readonly decisions: DecisionList;
  readonly queue: QueueMemory;
  readonly schedules: ScheduleMemory;
  readonly wakeTokens: WakeTokenMemory;
  readonly devices: DeviceMemory;
  readonly audit: AuditMemory;
  readonly outbox: OutboxMemory;
  readonly waits: WaitMap;
  readonly activity: ActivityMemory;
  readonly receipts: ReceiptLedger;
}

export function createMemory(): Memory {
  return {
    threads: new Map(),
    leases: new Map(),
    decisions: { entries: new Map(), answers: new Map(), questions: new Map(), tenants: new Map(), last: 0 },
    queue: emptyQueueMemory(),
    schedules: emptyScheduleMemory(),
    wakeTokens: new Map(),
    devices: { devices: new Map(), codes: new Map() },
    audit: { entries: [], last: 0 },
    outbox: emptyOutboxMemory(),
    waits: new Map(),
    activity: emptyActivityMemory(),
    receipts: createMemoryLedger(),
  };
}

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** The id of this store among those that share the memory. */
  readonly owner: string;
  /** Whether its process still runs. */
  readonly isAlive?: () => boolean;
  readonly maxDecisions?: number;
  readonly maxDeliveries?: number;
}

/** All stores of a memory are in the same process. */
const THIS_PROCESS = { pid: process.pid, host: hostname(), boot: "", namespace: "", start: null };

export interface MemoryStore extends Store {
  readonly leases: Leases;
  /** Deletes the queue and the tokens of a thread and disables its schedules, as the deletion of the thread does. */
  forgetQueue(threadId: string): Promise<void>;
}

/** A store in memory, which is also the reference implementation of the contract. */
export function createMemoryStore(memory: Memory, options: MemoryStoreOptions): MemoryStore {
  const { clock, owner, isAlive = () => true, maxDecisions, maxDeliveries } = options;
  const leases = createMemoryLeases(memory.leases, { node: null, isAlive });
  const membership = leases.join({ ...THIS_PROCESS, id: owner });
  const queue = createMemoryQueue(memory.queue, { leases, clock, owner });
  const schedules = createMemorySchedules(memory.schedules, clock);
  const wakeTokens = createMemoryWakeTokens(memory.wakeTokens, clock);
  const devices = createMemoryDevices(memory.devices, clock);
  const audit = createMemoryAudit(memory.audit, clock);
  const outbox = createMemoryOutbox(memory.outbox, clock, maxDeliveries);
  const waits = createMemoryWaits(memory.waits, { leases, clock });
  const deleteRelated = (threadId: string) => {
    memory.waits.delete(threadId);
    forgetQueue(memory.queue, { clock, owner }, threadId);
    disableSchedules(memory.schedules, clock, threadId);
    forgetWakeTokens(memory.wakeTokens, threadId);
  };
  const ownerOf = (threadId: string) => {
    for (const threads of memory.threads.values()) {
      const found = threads.get(threadId);
      if (found !== undefined) return found.state.facts.owner;
    }
    return null;
  };
  const activity = createMemoryActivity(memory.activity, ownerOf);
  const tenants = new Map<string, ReturnType<typeof openTenant>>();

  /** The parts of a store that are separate for each tenant. */
  function openTenant(tenant: string) {
    const tenantThreads = memory.threads.get(tenant) ?? new Map<string, MemoryThread>();
    memory.threads.set(tenant, tenantThreads);
    const threads = createMemoryThreads({
      threads: tenantThreads,
      leases,
      clock,
      deleteRelated,
      onLine: (thread, line) => countLine(memory.activity, thread, line),
      apply(threadId, effect) {
        if (effect.kind === "turnAnnounced") outbox.enqueueNow(effect.deliveries);
        else startClaimed(memory.queue, { clock, owner }, { ...effect, threadId });
      },
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
      forgetQueue: async (threadId) => deleteRelated(threadId),
      leases,
      membership,
      queue,
      schedules,
      wakeTokens,
      devices,
      audit,
      outbox,
      waits,
      activity,
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
