/** Notifications of threads that are not kept, for readers that have no connection. */
import type { EmitFor } from "../../engine/state/events.ts";
import { notificationRows } from "../../protocol/generated/table.ts";

export interface LiveNotices {
  /** Wraps the function that notifies clients. */
  readonly observe: (emit: EmitFor) => EmitFor;
  /** Calls back with each notification of a thread as JSON, but for durable events; returns the unsubscribe function. */
  on(threadId: string, listener: (text: string) => void): () => void;
}

export function createLiveNotices(): LiveNotices {
  const listeners = new Map<string, Set<(text: string) => void>>();

  return {
    observe: (emit) => (threadId, method, params) => {
      emit(threadId, method, params);
      if (listeners.size === 0 || notificationRows[method].isDurable === true) return;
      const ofThread = listeners.get(threadId);
      if (ofThread === undefined) return;
      const text = JSON.stringify({ method, params });
      for (const listener of ofThread) listener(text);
    },
    on(threadId, listener) {
      const ofThread = listeners.get(threadId) ?? new Set();
      listeners.set(threadId, ofThread.add(listener));
      return () => {
        ofThread.delete(listener);
        if (ofThread.size === 0) listeners.delete(threadId);
      };
    },
  };
}
