import type { Clock } from "../../base/clock.ts";
import type { Leases } from "../leases.ts";
import { clipWait, type Wait, type Waits } from "../waits.ts";
import { fencedBy } from "./memory-leases.ts";

/** By thread. */
export type WaitMap = Map<string, Wait>;

export interface MemoryWaitsOptions {
  readonly leases: Pick<Leases, "confirm">;
  readonly clock: Pick<Clock, "now">;
}

export function createMemoryWaits(waits: WaitMap, { leases, clock }: MemoryWaitsOptions): Waits {
  const sorted = (): Wait[] =>
    [...waits.values()].sort(
      (left, right) => left.untilMs - right.untilMs || (left.threadId < right.threadId ? -1 : 1),
    );
  return {
    put: (fence, given) =>
      fencedBy(leases, fence, () => {
        const { threadId } = fence;
        const wait = structuredClone({ ...clipWait(given), threadId, sinceMs: clock.now() });
        waits.set(threadId, wait);
        return { kind: "kept", wait };
      }),
    remove: (fence, turnId) =>
      fencedBy(
        leases,
        fence,
        () => waits.get(fence.threadId)?.turn.turnId === turnId && waits.delete(fence.threadId),
      ),
    find: async (threadId) => waits.get(threadId) ?? null,
    list: async (limit) => sorted().slice(0, limit),
    async due() {
      const now = clock.now();
      const all = sorted();
      const later = all.filter(({ untilMs }) => untilMs > now);
      return {
        threadIds: all.filter(({ untilMs }) => untilMs <= now).map(({ threadId }) => threadId),
        laterIds: later.map(({ threadId }) => threadId),
        nextAtMs: later[0]?.untilMs ?? null,
      };
    },
  };
}
