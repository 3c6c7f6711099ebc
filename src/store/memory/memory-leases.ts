import type { Fence, LeaseOutcome, Leases, NodeInfo, WriterFence } from "../leases.ts";

/** A process among those that share the memory. */
export interface Owner {
  node: NodeInfo | null;
  /** Whether the process still runs; the leases of a dead one are free. */
  readonly isAlive: () => boolean;
}

interface LeaseState {
  readonly owner: Owner | null;
  readonly epoch: number;
  /** The epoch of the last write to the thread. */
  readonly writtenEpoch: number;
}

export type LeaseStates = Map<string, LeaseState>;

export interface MemoryLeases extends Leases {
  /**
   * Marks the thread as open in this process until its release, so that `confirm` may reacquire a lease that others
   * released.
   */
  watch(threadId: string): void;
  /** The fence that this process holds for a thread. */
  fence(threadId: string): Fence | null;
  /** Records a write under a confirmed fence. */
  recordWrite(fence: Fence): void;
  close(): void;
}

/** Leases in a map that several stores share. A lease is held until it is released or its owner dies. */
export function createMemoryLeases(states: LeaseStates, owner: Owner): MemoryLeases {
  /** The epochs of leases that this process acquired and has not released, by thread. */
  const held = new Map<string, number>();
  const watched = new Set<string>();
  const holder = (threadId: string): Owner | null => {
    const other = states.get(threadId)?.owner ?? null;
    return other !== null && other.isAlive() ? other : null;
  };
  const isCurrent = ({ threadId, epoch }: Fence): boolean => {
    const lease = states.get(threadId);
    return lease?.owner === owner && lease.epoch === epoch;
  };

  const assign = (threadId: string): Fence => {
    const { epoch = 0, writtenEpoch = 0 } = states.get(threadId) ?? {};
    states.set(threadId, { owner, epoch: epoch + 1, writtenEpoch });
    held.set(threadId, epoch + 1);
    return { threadId, epoch: epoch + 1 };
  };
  const releaseLease = (threadId: string): void => {
    const lease = states.get(threadId);
    if (lease?.owner === owner) states.set(threadId, { ...lease, owner: null });
    held.delete(threadId);
    watched.delete(threadId);
  };

  return {
    join(node) {
      owner.node = node;
      // Stores that share a process's memory live exactly as long as the process.
      return { node, signal: new AbortController().signal };
    },
    async acquire(threadId, how): Promise<LeaseOutcome> {
      const other = holder(threadId);
      const isOther = other !== null && other !== owner;
      if (isOther && how === "ifFree") return { kind: "elsewhere", node: other.node };
      return { kind: "held", fence: assign(threadId), takenFrom: isOther ? other.node : null };
    },
    async confirm(fence) {
      if (isCurrent(fence)) return fence;
      const { threadId, epoch } = fence;
      const isOpen = held.get(threadId) === epoch && watched.has(threadId);
      // Another process held the lease meanwhile and released it without a write.
      const isUnchanged = holder(threadId) === null && (states.get(threadId)?.writtenEpoch ?? 0) <= epoch;
      return isOpen && isUnchanged ? assign(threadId) : null;
    },
    watch: (threadId) => void watched.add(threadId),
    fence(threadId) {
      const epoch = held.get(threadId);
      return epoch === undefined ? null : { threadId, epoch };
    },
    recordWrite({ threadId, epoch }) {
      const lease = states.get(threadId);
      if (lease !== undefined) states.set(threadId, { ...lease, writtenEpoch: epoch });
    },
    async release(fence) {
      if (held.get(fence.threadId) === fence.epoch) releaseLease(fence.threadId);
    },
    isHeld: async (threadId) => holder(threadId) !== null,
    close() {
      for (const threadId of held.keys()) releaseLease(threadId);
    },
  };
}

/** Runs the work unless another process holds the thread. */
export async function fencedBy<T>(
  leases: Pick<Leases, "confirm">,
  source: WriterFence,
  work: () => T,
): Promise<T | { readonly kind: "fenced" }> {
  const isOurs = "ephemeral" in source || (await leases.confirm(source)) !== null;
  return isOurs ? work() : { kind: "fenced" };
}
