import type { ReceiptLedger } from "../lifecycle/receipts/ledger.ts";
import type { Decisions } from "./decisions.ts";
import type { FileFacet } from "./file-facet.ts";
import type { Membership } from "./leases.ts";
import type { Queue } from "./queue.ts";
import type { Scope } from "./scope.ts";
import type { ThreadStore } from "./thread-store.ts";

/**
 * Everything durable, whatever keeps it. What a promise of a write has settled survives `kill -9`. Nobody who is
 * handed a store knows which one it is: files, memory, or a database that several machines share.
 */
export interface Store {
  /**
   * The same store on behalf of a tenant: what belongs to another does not exist in its threads and decisions. Queues
   * are reached by the id of a thread that was found there, and are started by servers, which serve all tenants.
   */
  forScope(scope: Scope): Store;
  readonly threads: ThreadStore;
  readonly decisions: Decisions;
  readonly queue: Queue;
  /** Of the lifecycle layer. They belong to no thread, and no lease guards them. */
  readonly receipts: ReceiptLedger;
  /** What a store can do whose threads are files; null for every other one. */
  readonly files: FileFacet | null;
  /** This process among those of the store. */
  readonly membership: Membership;
  /** Resolves when the store has answered, and rejects where it does not. */
  ping(): Promise<void>;
  /** Whether some process, this one included, writes to a thread. */
  isHeld(threadId: string): Promise<boolean>;
  /** Keeps what waits, and gives all threads back. */
  close(): Promise<void>;
}
