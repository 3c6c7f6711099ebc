// What is known of threads beside their files, in plain maps.

import type { ThreadReadState } from "../../../protocol/generated/types.ts";
import { noDetails, type ThreadDetails } from "../../thread-store.ts";
import type { ThreadTables } from "./history-index.ts";

export interface MemoryThreadFacts {
  readonly part: ThreadTables;
  detailsOf(threadId: string): ThreadDetails;
}

export function createMemoryThreadFacts(): MemoryThreadFacts {
  const details = new Map<string, ThreadDetails>();
  const readStates = new Map<string, ThreadReadState>();
  const leases = new Map<string, { readonly owner: string; readonly epoch: number }>();
  const notes = new Map<string, string>();
  const detailsOf = (threadId: string) => details.get(threadId) ?? noDetails;
  const setDetails = (threadId: string, members: Partial<ThreadDetails>) =>
    void details.set(threadId, { ...detailsOf(threadId), ...members });

  const part: ThreadTables = {
    setDetails: async (threadId, members) => setDetails(threadId, members),
    async setNames(names) {
      for (const [threadId, name] of names) setDetails(threadId, { name });
    },
    details: async (threadId) => detailsOf(threadId),
    async forgetThread(threadId) {
      for (const kept of [details, readStates, leases]) kept.delete(threadId);
    },
    readStates: async (threadIds) =>
      new Map(
        threadIds.flatMap((id) => {
          const state = readStates.get(id);
          return state === undefined ? [] : [[id, state] as const];
        }),
      ),
    async setReadState(threadId, state, expectedRevision) {
      if ((readStates.get(threadId)?.revision ?? null) !== expectedRevision) return false;
      readStates.set(threadId, state);
      return true;
    },
    async acquireLease({ threadId, owner, ignoring = [] }) {
      const held = leases.get(threadId);
      const other = held === undefined || held.owner === "" || held.owner === owner ? null : held.owner;
      if (other !== null && !ignoring.includes(other)) return { kind: "elsewhere", owner: other };
      const epoch = (held?.epoch ?? 0) + 1;
      leases.set(threadId, { owner, epoch });
      return { kind: "held", epoch };
    },
    leaseOwner: async (threadId) => leases.get(threadId)?.owner || null,
    leaseMark: async (threadId) => leases.get(threadId) ?? null,
    renewLeases: async (owner) =>
      [...leases].filter(([, lease]) => lease.owner === owner).map(([threadId]) => threadId),
    async releaseLease(threadId, owner, epoch) {
      const held = leases.get(threadId);
      if (held?.owner === owner && held.epoch === epoch) leases.set(threadId, { owner: "", epoch });
    },
    note: async (key) => notes.get(key) ?? null,
    setNote: async (key, value) => void notes.set(key, value),
  };
  return { part, detailsOf };
}
