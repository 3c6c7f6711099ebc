/**
 * The port for who writes to which thread. A lease has an epoch, which every acquisition raises and every write of a
 * thread is conditional on: whoever has lost a thread without knowing it is refused. The store's clock alone says
 * when a lease has run out; time decides when others may try, never who may write.
 */

/** A process that shares the store with others, as it names itself to them. */
export interface NodeInfo {
  /** Another one for each process, and for each store that a process has open. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** Another one after each start of the machine; empty where it cannot be known. */
  readonly boot: string;
  /** Where process ids mean the same; empty where it cannot be known. */
  readonly namespace: string;
  /** When the process began, in whatever unit: only compared. Null in names that come from older programs. */
  readonly start: string | null;
}

/** That others take a process for one that is alive. */
export interface Membership {
  readonly node: NodeInfo;
  /** Aborted when others may take it for dead: its threads may be theirs from then on, as each write finds out. */
  readonly signal: AbortSignal;
}

/** The right to write to a thread. Only `acquire` makes one. */
export interface Fence {
  readonly threadId: string;
  readonly epoch: number;
}

/** Who a fact of a thread comes from. A thread that is not kept has no rival, and nothing to acquire. */
export type WriterFence = Fence | { readonly threadId: string; readonly ephemeral: true };

export type LeaseOutcome =
  /** `takenFrom` is the living process that has lost it. */
  | { readonly kind: "held"; readonly fence: Fence; readonly takenFrom: NodeInfo | null }
  /** The node is null where it is a program that is no process of the store. */
  | { readonly kind: "elsewhere"; readonly node: NodeInfo | null };

export interface Leases {
  /** Names this process to the others of the store; nothing is acquired before. */
  join(node: NodeInfo): Membership;
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
