/** The threads that a server loads without a client: for queued turns that are due, and for waits that are over. */
import type { DueThreads, Queue } from "../../store/queue.ts";
import type { Waits } from "../../store/waits.ts";

/** A thread whose turn waits longer is not due for its queue either, because that turn is still in progress. */
export async function findDueThreads(
  queue: Pick<Queue, "due">,
  waits: Pick<Waits, "due">,
): Promise<DueThreads> {
  const [queued, waited] = await Promise.all([queue.due(), waits.due()]);
  const later = new Set(waited.laterIds);
  const threadIds = new Set([...waited.threadIds, ...queued.threadIds.filter((id) => !later.has(id))]);
  const times = [queued.nextAtMs, waited.nextAtMs].filter((time) => time !== null);
  return { threadIds: [...threadIds], nextAtMs: times.length === 0 ? null : Math.min(...times) };
}
