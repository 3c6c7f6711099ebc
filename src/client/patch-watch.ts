/**
 * What the patches of the threads that a client follows would change: a question names the item alone, which was told
 * before it. A client that has joined since then, as one that was started anew, asks for it.
 */
import type { FileUpdateChange, Thread, ThreadItem } from "../protocol/generated/types.ts";
import type { ChangesOf } from "./approvals.ts";

/** How many patches can wait for an answer; of a thread it is one. */
const MOST_PATCHES = 1000;

export interface PatchWatch {
  note(method: string, params: unknown): void;
  readonly changesOf: ChangesOf;
}

/** `join` gives the thread with its turns, and with the items that are under way. */
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
      if (patches.size > MOST_PATCHES && oldest !== undefined) patches.delete(oldest);
    },
    async changesOf({ threadId, itemId }) {
      const known = patches.get(keyOf(threadId, itemId));
      if (known !== undefined) return known;
      // Whoever decides is asked all the same, and sees that nothing is known.
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
