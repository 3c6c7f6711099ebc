/**
 * The port for who writes to which thread. A lease has an epoch, which every acquisition raises and every write of a
 * thread is conditional on: whoever has lost a thread without knowing it is refused. The store's clock alone says
 * when a lease has run out; time decides when others may try, never who may write.
 */

/** The right to write to a thread. Only `acquire` makes one. */
export interface Fence {
  readonly threadId: string;
  readonly epoch: number;
}

/** Who a fact of a thread comes from. A thread that is not kept has no rival, and nothing to acquire. */
export type WriterFence = Fence | { readonly threadId: string; readonly ephemeral: true };

export type LeaseOutcome =
  /** `takenFrom` names the living owner that has lost it. */
  | { readonly kind: "held"; readonly fence: Fence; readonly takenFrom: string | null }
  | { readonly kind: "elsewhere"; readonly message: string };

export interface Leases {
  /** `ifFree` leaves it to a living owner; a lease that was released, or whose process has died, is free. */
  acquire(threadId: string, how: "ifFree" | "takeOver"): Promise<LeaseOutcome>;
  /**
   * The fence as it is now; null when it is stale. It is another one where the store had lost its leases, or where an
   * open thread's lease was taken from its living holder and given back with nothing written.
   */
  confirm(fence: Fence): Promise<Fence | null>;
  /** A stale fence releases nothing. */
  release(fence: Fence): Promise<void>;
  /** Whether some process, this one included, writes to the thread. */
  isHeld(threadId: string): Promise<boolean>;
}
