// What is known of threads beside their files, in plain maps.
import type { ThreadReadState } from "../../protocol/generated/types.ts";
import { type Lease, noDetails, type ThreadDetails, type ThreadFactsPart } from "../history-index.ts";

export interface MemoryThreadFacts {
  readonly part: ThreadFactsPart;
  detailsOf(threadId: string): ThreadDetails;
}

export function createMemoryThreadFacts(): MemoryThreadFacts {
  const details = new Map<string, ThreadDetails>();
  const readStates = new Map<string, ThreadReadState>();
  const leases = new Map<string, Lease>();
  const notes = new Map<string, string>();
  const detailsOf = (threadId: string) => details.get(threadId) ?? noDetails;
  const setDetails = (threadId: string, members: Partial<ThreadDetails>) =>
    void details.set(threadId, { ...detailsOf(threadId), ...members });

  const part: ThreadFactsPart = {
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
    async acquireLease({ threadId, owner, nowMs, expiresAtMs, ignoring = [] }) {
      const held = leases.get(threadId);
      const isFree = held === undefined || held.owner === owner || held.expiresAtMs <= nowMs;
      if (!isFree && !ignoring.includes(held.owner)) return held;
      leases.set(threadId, { owner, expiresAtMs });
      return null;
    },
    lease: async (threadId) => leases.get(threadId) ?? null,
    async renewLeases(owner, expiresAtMs) {
      const held = [...leases].filter(([, lease]) => lease.owner === owner).map(([threadId]) => threadId);
      for (const threadId of held) leases.set(threadId, { owner, expiresAtMs });
      return held;
    },
    async releaseLease(threadId, owner) {
      if (leases.get(threadId)?.owner === owner) leases.delete(threadId);
    },
    note: async (key) => notes.get(key) ?? null,
    setNote: async (key, value) => void notes.set(key, value),
  };
  return { part, detailsOf };
}
