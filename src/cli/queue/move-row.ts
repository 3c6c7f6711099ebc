/** Rows that a person names, and their places. A running server may start or change rows at the same time. */
import type { Queue } from "../../store/queue.ts";

/** The id of the row with this id; a part of an id that only one row has is enough. Throws in words where there is none. */
export function chooseRow(rowIds: readonly string[], word: string): string {
  if (rowIds.includes(word)) return word;
  const [found, ...more] = rowIds.filter((rowId) => rowId.includes(word));
  if (found === undefined || word === "")
    throw new Error(`no queued turn '${word}' waits in this thread: heddle queue list shows their ids`);
  if (more.length > 0)
    throw new Error(`'${word}' stands for ${more.length + 1} queued turns: use a whole id`);
  return found;
}

/** How often rows may come and go between a look at them and their new order. */
const MAX_TRIES = 10;

/** Puts a row at a place, counted from 1; beyond the last it is the last. Returns where it is. */
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
