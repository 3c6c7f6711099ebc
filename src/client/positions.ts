/**
 * The positions up to which this client has received the durable events of threads. After a lost connection the server
 * sends what comes after them, so that no event is missed and none is emitted twice.
 */
import { createDeferred, type Deferred } from "../base/tasks.ts";
import { THREAD_ENDED } from "./subscriptions.ts";

export interface Positions {
  /** False for an event that was already received. */
  take(method: string, params: unknown): boolean;
  /** The position to continue from; null where the server has sent none. */
  of(threadId: string): string | null;
  /** Resolves when the server has sent everything after the position of a thread; false if the connection is lost. */
  whenSynced(threadId: string): Promise<boolean>;
  /** The connection was lost. */
  lose(): void;
}

interface PositionedParams {
  readonly threadId?: string;
  readonly seq?: string;
  readonly throughSeq?: string;
  readonly fromSeq?: string;
}

export function createPositions(): Positions {
  const seqs = new Map<string, string>();
  /** Threads of which the server has not sent everything since the connection was lost. */
  const unsynced = new Map<string, Deferred<boolean>>();

  function settle(threadId: string, isSynced: boolean): void {
    unsynced.get(threadId)?.resolve(isSynced);
    unsynced.delete(threadId);
  }

  function forget(threadId: string): void {
    seqs.delete(threadId);
    settle(threadId, false);
  }

  return {
    take(method, params) {
      const { threadId, seq, throughSeq, fromSeq } = (params ?? {}) as PositionedParams;
      if (threadId === undefined) return true;
      if (THREAD_ENDED.has(method)) forget(threadId);
      if (method === "thread/synced" && throughSeq !== undefined) {
        seqs.set(threadId, throughSeq);
        settle(threadId, true);
      } else if (method === "thread/resync" && fromSeq !== undefined) seqs.set(threadId, fromSeq);
      else if (seq !== undefined) {
        if (seq <= (seqs.get(threadId) ?? "")) return false;
        seqs.set(threadId, seq);
      }
      return true;
    },
    of: (threadId) => seqs.get(threadId) ?? null,
    whenSynced: (threadId) => unsynced.get(threadId)?.promise ?? Promise.resolve(true),
    lose() {
      for (const threadId of seqs.keys()) {
        settle(threadId, false);
        unsynced.set(threadId, createDeferred());
      }
    },
  };
}
