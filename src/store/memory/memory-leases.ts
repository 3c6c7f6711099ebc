import type { Fence, LeaseOutcome, Leases, NodeInfo, WriterFence } from "../leases.ts";

/** A process among those that share the memory. */
export interface Owner {
  node: NodeInfo | null;
  /** Whether it still runs; the leases of one that has ended are free. */
  readonly lives: () => boolean;
}

interface Mark {
  readonly owner: Owner | null;
  readonly epoch: number;
  /** The epoch under which the thread was last written to. */
  readonly writtenEpoch: number;
}

export type LeaseMarks = Map<string, Mark>;

export interface MemoryLeases extends Leases {
  /** Until it is released, this process writes to the thread, and has a lease again that others have given back. */
  watch(threadId: string): void;
  /** What this process holds of a thread. */
  fence(threadId: string): Fence | null;
  /** Something was written under a fence that was confirmed. */
  wrote(fence: Fence): void;
  close(): void;
}

/** Leases in a map that several stores share. A lease is held until it is released or its owner has ended. */
export function createMemoryLeases(marks: LeaseMarks, owner: Owner): MemoryLeases {
  /** By thread: the epoch of what this process has acquired and not given back. */
  const held = new Map<string, number>();
  const watched = new Set<string>();
  const holder = (threadId: string): Owner | null => {
    const other = marks.get(threadId)?.owner ?? null;
    return other !== null && other.lives() ? other : null;
  };
  const isCurrent = ({ threadId, epoch }: Fence): boolean => {
    const mark = marks.get(threadId);
    return mark?.owner === owner && mark.epoch === epoch;
  };

  const take = (threadId: string): Fence => {
    const { epoch = 0, writtenEpoch = 0 } = marks.get(threadId) ?? {};
    marks.set(threadId, { owner, epoch: epoch + 1, writtenEpoch });
    held.set(threadId, epoch + 1);
    return { threadId, epoch: epoch + 1 };
  };
  const giveBack = (threadId: string): void => {
    const mark = marks.get(threadId);
    if (mark?.owner === owner) marks.set(threadId, { ...mark, owner: null });
    held.delete(threadId);
    watched.delete(threadId);
  };

  return {
    join(node) {
      owner.node = node;
      // What shares the memory of a process lives as long as the others do.
      return { node, signal: new AbortController().signal };
    },
    async acquire(threadId, how): Promise<LeaseOutcome> {
      const other = holder(threadId);
      const isOther = other !== null && other !== owner;
      if (isOther && how === "ifFree") return { kind: "elsewhere", node: other.node };
      return { kind: "held", fence: take(threadId), takenFrom: isOther ? other.node : null };
    },
    async confirm(fence) {
      if (isCurrent(fence)) return fence;
      const { threadId, epoch } = fence;
      const isOpen = held.get(threadId) === epoch && watched.has(threadId);
      // Somebody had it meanwhile, and has left the thread as it was.
      const isAsLeft = holder(threadId) === null && (marks.get(threadId)?.writtenEpoch ?? 0) <= epoch;
      return isOpen && isAsLeft ? take(threadId) : null;
    },
    watch: (threadId) => void watched.add(threadId),
    fence(threadId) {
      const epoch = held.get(threadId);
      return epoch === undefined ? null : { threadId, epoch };
    },
    wrote({ threadId, epoch }) {
      const mark = marks.get(threadId);
      if (mark !== undefined) marks.set(threadId, { ...mark, writtenEpoch: epoch });
    },
    async release(fence) {
      if (held.get(fence.threadId) === fence.epoch) giveBack(fence.threadId);
    },
    isHeld: async (threadId) => holder(threadId) !== null,
    close() {
      for (const threadId of held.keys()) giveBack(threadId);
    },
  };
}

/** Runs the work unless the thread is another's. */
export async function fencedBy<T>(
  leases: Pick<Leases, "confirm">,
  source: WriterFence,
  work: () => T,
): Promise<T | { readonly kind: "fenced" }> {
  const isOurs = "ephemeral" in source || (await leases.confirm(source)) !== null;
  return isOurs ? work() : { kind: "fenced" };
}
