/**
 * The port for write leases on threads. A lease has an epoch, which every acquisition raises and every write to a
 * thread is conditional on, so that a process that lost a thread unknowingly is fenced. The store's clock alone decides
 * when a lease has expired. Expiry decides when others may try to acquire, never who may write.
 */

/** The identity of a process that shares the store with others. */
export interface NodeInfo {
  /** Unique for each process, and for each store that a process has open. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** Changes with each boot of the machine; empty if unknown. */
  readonly boot: string;
  /** The PID namespace; empty if unknown. */
  readonly namespace: string;
  /**
   * The start time of the process in an arbitrary unit, used only for equality. Null in identities from older versions.
   */
  readonly start: string | null;
}

/** The liveness of this process as the other processes see it. */
export interface Membership {
  readonly node: NodeInfo;
  /**
   * Aborted when other processes may consider this one dead: they may hold its threads from then on, which each write
   * checks.
   */
  readonly signal: AbortSignal;
}

/** The right to write to a thread. Only `acquire` creates one. */
export interface Fence {
  readonly threadId: string;
  readonly epoch: number;
}

/** The writer of a fact. An ephemeral thread has no rival writer and therefore no lease. */
export type WriterFence = Fence | { readonly threadId: string; readonly ephemeral: true };

export type LeaseOutcome =
  /** `takenFrom` is the living process that lost the lease. */
  | { readonly kind: "held"; readonly fence: Fence; readonly takenFrom: NodeInfo | null }
  /** The node is null if the holder is a program that does not use the store. */
  | { readonly kind: "elsewhere"; readonly node: NodeInfo | null };

export interface Leases {
  /** Registers this process with the store; required before `acquire`. */
  join(node: NodeInfo): Membership;
  /** `ifFree` fails while the owner is alive; a lease that was released, or whose process died, is free. */
  acquire(threadId: string, how: "ifFree" | "takeOver"): Promise<LeaseOutcome>;
  /**
   * Returns the current fence, or null if it is stale. The fence changes where the store had lost its leases, or where
   * an open thread's lease was taken from its living holder and released without a write.
   */
  confirm(fence: Fence): Promise<Fence | null>;
  /** Does nothing for a stale fence. */
  release(fence: Fence): Promise<void>;
  /** Whether any process, this one included, writes to the thread. */
  isHeld(threadId: string): Promise<boolean>;
}
