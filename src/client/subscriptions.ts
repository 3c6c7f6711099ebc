/** The threads that a client follows, so that it can go on to follow them over another transport. */
import type { Link } from "./link.ts";

const FOLLOWING = new Set(["thread/start", "thread/resume", "thread/fork"]);
const LEAVING = new Set(["thread/unsubscribe", "thread/archive", "thread/delete"]);
const GONE = new Set(["thread/closed", "thread/archived", "thread/deleted"]);

export function createSubscriptions() {
  const threadIds = new Set<string>();
  return {
    noteResponse(method: string, params: unknown, result: unknown): void {
      if (FOLLOWING.has(method)) threadIds.add((result as { thread: { id: string } }).thread.id);
      if (LEAVING.has(method)) threadIds.delete((params as { threadId: string }).threadId);
    },
    noteNotification(method: string, params: unknown): void {
      if (GONE.has(method)) threadIds.delete((params as { threadId: string }).threadId);
    },
    /** Says which of them could not be followed again, and why. What the server has to ask, it asks again. */
    async renew(link: Link): Promise<ReadonlyMap<string, string>> {
      const refused = new Map<string, string>();
      for (const threadId of threadIds) {
        const outcome = await link.ask("thread/resume", { threadId, excludeTurns: true });
        if (outcome.kind !== "refused") continue;
        threadIds.delete(threadId);
        refused.set(threadId, outcome.error.message);
      }
      return refused;
    },
  };
}
