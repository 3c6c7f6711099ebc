/**
 * Tracks the pending patches of subscribed threads: an approval request names only the item, which was sent
 * before it. A client that has joined since then fetches it.
 */
import type { FileUpdateChange, Thread, ThreadItem } from "../protocol/generated/types.ts";
import type { ChangesOf } from "./approvals.ts";

/** Limit of pending patches; a thread has at most one. */
const MAX_PATCHES = 1000;

export interface PatchWatch {
  note(method: string, params: unknown): void;
  readonly changesOf: ChangesOf;
}

/** `join` returns the thread with its turns, including items in progress. */
export function createPatchWatch(join: (threadId: string) => Promise<Thread>): PatchWatch {
  const patches = new Map<string, readonly FileUpdateChange[]>();

  return {
    note(method, params) {
      if (method !== "item/started" && method !== "item/completed") return;
      const { threadId, item } = params as { threadId: string; item: ThreadItem };
      if (item.type !== "fileChange") return;
      const key = keyOf(threadId, item.id);
      patches.delete(key);
      if (method === "item/completed") return;
      patches.set(key, item.changes);
      const [oldest] = patches.keys();
      if (patches.size > MAX_PATCHES && oldest !== undefined) patches.delete(oldest);
    },
    async changesOf({ threadId, itemId }) {
      const known = patches.get(keyOf(threadId, itemId));
      if (known !== undefined) return known;
      // The approval is requested anyway, without the changes.
      const thread = await join(threadId).catch(() => null);
      const items = thread?.turns.at(-1)?.items ?? [];
      const item = items.find(({ id }) => id === itemId);
      return item?.type === "fileChange" ? item.changes : [];
    },
  };
}

function keyOf(threadId: string, itemId: string): string {
  return JSON.stringify([threadId, itemId]);
}
