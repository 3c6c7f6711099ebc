import type { ReceiptLedger } from "../lifecycle/receipts/ledger.ts";
import type { Decisions } from "./decisions.ts";
import type { Leases } from "./leases.ts";
import type { Queue } from "./queue.ts";
import type { ThreadStore } from "./thread-store.ts";

/**
 * Everything durable, whatever keeps it. What a promise of a write has settled survives `kill -9`. Nobody who is
 * handed a store knows which one it is: files, memory, or a database that several machines share.
 */
export interface Store {
  readonly threads: ThreadStore;
  readonly leases: Leases;
  readonly decisions: Decisions;
  readonly queue: Queue;
  /** Of the lifecycle layer. They belong to no thread, and no lease guards them. */
  readonly receipts: ReceiptLedger;
  /** Keeps what waits, and gives all threads back. */
  close(): Promise<void>;
}
