import type { ReceiptLedger } from "../lifecycle/receipts/ledger.ts";
import type { Activity } from "./activity.ts";
import type { AuditLog } from "./audit.ts";
import type { Decisions } from "./decisions.ts";
import type { Devices } from "./devices.ts";
import type { FileFacet } from "./file-facet.ts";
import type { Membership } from "./leases.ts";
import type { Outbox } from "./outbox.ts";
import type { Queue } from "./queue.ts";
import type { Schedules } from "./schedules.ts";
import type { Scope } from "./scope.ts";
import type { ThreadStore } from "./thread-store.ts";
import type { Waits } from "./waits.ts";
import type { WakeTokens } from "./wake-tokens.ts";

/**
 * All durable state, independent of the backend: files, memory, or a database that several machines share. A write
 * survives `kill -9` once its promise resolves.
 */
export interface Store {
  /**
   * The same store on behalf of a tenant: threads and decisions of other tenants are hidden. Queues and waits are addressed by
   * the id of a thread that was found there, and are dispatched by servers, which serve all tenants.
   */
  forScope(scope: Scope): Store;
  readonly threads: ThreadStore;
  readonly decisions: Decisions;
  readonly queue: Queue;
  /** Deleting a thread disables the schedules that run in it. */
  readonly schedules: Schedules;
  readonly wakeTokens: WakeTokens;
  /** Paired devices, of all tenants. */
  readonly devices: Devices;
  /** Deliveries to webhook endpoints, of all tenants. */
  readonly outbox: Outbox;
  readonly waits: Waits;
  /** Changes by clients with a token, in all tenants. */
  readonly audit: AuditLog;
  /** Sums over the threads of all tenants. */
  readonly activity: Activity;
  /** Receipts of the lifecycle layer. They belong to no thread, and no lease guards them. */
  readonly receipts: ReceiptLedger;
  /** File operations of a store whose threads are files; null for every other one. */
  readonly files: FileFacet | null;
  readonly membership: Membership;
  /** Resolves if the store responds, and rejects if it does not. */
  ping(): Promise<void>;
  /** Whether any process, this one included, writes to a thread. */
  isHeld(threadId: string): Promise<boolean>;
  /** Flushes pending writes and releases all threads. */
  close(): Promise<void>;
}
