/** Selects and moves rows of a queue, while a server may start or change rows concurrently. */
import type { Queue } from "../../store/queue.ts";

/** Resolves a row id or a unique part of one. Throws if none or several match. */
export function chooseRow(rowIds: readonly string[], word: string): string {
  if (rowIds.includes(word)) return word;
  const [found, ...more] = rowIds.filter((rowId) => rowId.includes(word));
  if (found === undefined || word === "")
    throw new Error(`no queued turn '${word}' waits in this thread: heddle queue list shows their ids`);
  if (more.length > 0)
    throw new Error(`'${word}' stands for ${more.length + 1} queued turns: use a whole id`);
  return found;
}

/** Retries after concurrent changes. */
const MAX_TRIES = 10;

/** Moves a row to a position counted from 1, clamped to the end. Returns the final position. */
export async function moveRow(
  queue: Pick<Queue, "ids" | "reorder">,
  threadId: string,
  word: string,
  position: number,
): Promise<{ readonly rowId: string; readonly position: number }> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const rowIds = await queue.ids(threadId);
    const rowId = chooseRow(rowIds, word);
    const order = rowIds.filter((id) => id !== rowId);
    const at = Math.min(position - 1, order.length);
    order.splice(at, 0, rowId);
    if (await queue.reorder(threadId, order)) return { rowId, position: at + 1 };
  }
  throw new Error("the queue keeps changing: pause it, and move the queued turn then");
}
