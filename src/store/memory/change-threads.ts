/** Changes to threads in memory that clients make outside of turns. */
import type { Clock } from "../../base/clock.ts";
import type { GitInfo } from "../../protocol/generated/types.ts";
import { appendGoal } from "../append-goal.ts";
import type { Leases } from "../leases.ts";
import { activeWriter, missingThread, type StoreRefusal, storeRefusal } from "../refusal.ts";
import type { MoveOutcome, ThreadStore } from "../thread-store.ts";
import { descendantsOf } from "./list-threads.ts";
import type { MemoryThread } from "./memory-thread.ts";

export interface MemoryChangeContext extends Pick<ThreadStore, "journal" | "open"> {
  readonly threads: Map<string, MemoryThread>;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly deleteRelated: (threadId: string) => void;
}

type Moves = Pick<ThreadStore, "archive" | "unarchive" | "delete">;
type Details = Pick<ThreadStore, "rename" | "updateMetadata" | "setGoal" | "readStates" | "setReadState">;

const NO_GIT: GitInfo = { sha: null, branch: null, originUrl: null };

export function createThreadChanges(context: MemoryChangeContext): Moves & Details {
  return { ...movesOf(context), ...detailsOf(context) };
}

function movesOf({ threads, leases, clock, deleteRelated }: MemoryChangeContext): Moves {
  /** Applies to the thread and its descendants, unless one of them has an active writer. */
  async function withDescendants(
    threadId: string,
    act: (ids: readonly string[]) => MoveOutcome,
  ): Promise<MoveOutcome> {
    const threadIds = [threadId, ...descendantsOf(threads, threadId)];
    for (const id of threadIds) if (await leases.isHeld(id)) return activeWriter(id);
    return act(threadIds);
  }

  return {
    async archive(threadId) {
      if (threads.get(threadId)?.archived !== false) return missingThread(threadId);
      return withDescendants(threadId, (threadIds) => {
        for (const thread of threads.values()) if (threadIds.includes(thread.id)) thread.archived = true;
        return { kind: "done", threadIds };
      });
    },
    async unarchive(threadId) {
      const thread = threads.get(threadId);
      if (thread?.archived !== true)
        return storeRefusal("notArchived", `no archived rollout found for thread id ${threadId}`);
      if (await leases.isHeld(threadId)) return activeWriter(threadId);
      thread.archived = false;
      thread.setFacts({ ...thread.state.facts, updatedAtMs: clock.now() });
      return { kind: "done", threadIds: [threadId] };
    },
    async delete(threadId) {
      if (!threads.has(threadId)) return missingThread(threadId);
      return withDescendants(threadId, (threadIds) => {
        const isReferenced = [...threads.values()].some(
          ({ id, basedOn }) => basedOn !== null && threadIds.includes(basedOn) && !threadIds.includes(id),
        );
        if (isReferenced)
          return storeRefusal(
            "referenced",
            `cannot delete thread ${threadId}: forked history still references it`,
          );
        for (const id of threadIds) {
          threads.delete(id);
          deleteRelated(id);
        }
        return { kind: "done", threadIds };
      });
    },
  };
}

function detailsOf({ threads, journal: journalOf, open }: MemoryChangeContext): Details {
  /** Renaming or annotating a thread before its first turn makes it durable. */
  async function persisted(threadId: string): Promise<MemoryThread | StoreRefusal> {
    const outcome = await journalOf(threadId)?.persist();
    if (outcome !== undefined && outcome.kind !== "persisted") return storeRefusal("disk", outcome.message);
    return threads.get(threadId) ?? missingThread(threadId);
  }

  return {
    async rename(threadId, name) {
      const thread = await persisted(threadId);
      if ("kind" in thread) return thread;
      thread.details = { ...thread.details, name };
      return { kind: "done" };
    },
    async updateMetadata(threadId, { gitInfo, ...rest }) {
      const thread = await persisted(threadId);
      if ("kind" in thread) return thread;
      const before = thread.details.gitInfo ?? thread.state.facts.gitInfo ?? NO_GIT;
      const git = gitInfo === undefined ? {} : { gitInfo: { ...before, ...gitInfo } };
      thread.details = { ...thread.details, ...rest, ...git };
      return thread.show();
    },
    setGoal: (threadId, goal) => appendGoal({ journal: journalOf, open }, threadId, goal),
    readStates: async (threadIds) =>
      new Map(
        threadIds.flatMap((id) => {
          const state = threads.get(id)?.readState ?? null;
          return state === null ? [] : [[id, state] as const];
        }),
      ),
    async setReadState(threadId, state, expectedRevision) {
      const thread = threads.get(threadId);
      if (thread === undefined || (thread.readState?.revision ?? null) !== expectedRevision) return false;
      thread.readState = state;
      return true;
    },
  };
}
