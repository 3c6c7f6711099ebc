import type { FactSource, Fence, LeaseOutcome, Leases } from "../leases.ts";

/** A process among those that share the memory. */
export interface Owner {
  readonly id: string;
  /** Whether it still runs; the leases of one that has ended are free. */
  readonly lives: () => boolean;
}

interface Mark {
  readonly owner: Owner | null;
  readonly epoch: number;
}

export type LeaseMarks = Map<string, Mark>;

/** Leases in a map that several stores share. A lease is held until it is released or its owner has ended. */
export function createMemoryLeases(marks: LeaseMarks, owner: Owner): Leases & { close(): void } {
  const holder = (threadId: string): Owner | null => {
    const other = marks.get(threadId)?.owner ?? null;
    return other !== null && other.lives() ? other : null;
  };
  const isCurrent = ({ threadId, epoch }: Fence): boolean => {
    const mark = marks.get(threadId);
    return mark?.owner === owner && mark.epoch === epoch;
  };

  return {
    async acquire(threadId, how): Promise<LeaseOutcome> {
      const other = holder(threadId);
      const isOther = other !== null && other !== owner;
      if (isOther && how === "ifFree")
        return { kind: "elsewhere", message: `process ${other.id} writes to it` };
      const fence = { threadId, epoch: (marks.get(threadId)?.epoch ?? 0) + 1 };
      marks.set(threadId, { owner, epoch: fence.epoch });
      return { kind: "held", fence, takenFrom: isOther ? other.id : null };
    },
    confirm: async (fence) => (isCurrent(fence) ? fence : null),
    async release(fence) {
      if (isCurrent(fence)) marks.set(fence.threadId, { owner: null, epoch: fence.epoch });
    },
    isHeld: async (threadId) => holder(threadId) !== null,
    close() {
      for (const [threadId, { owner: other, epoch }] of marks)
        if (other === owner) marks.set(threadId, { owner: null, epoch });
    },
  };
}

/** Runs the work unless the thread is another's. */
export async function fencedBy<T>(
  leases: Pick<Leases, "confirm">,
  source: FactSource,
  work: () => T,
): Promise<T | { readonly kind: "fenced" }> {
  const isOurs = "ephemeral" in source || (await leases.confirm(source)) !== null;
  return isOurs ? work() : { kind: "fenced" };
}
