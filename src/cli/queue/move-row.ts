/** Rows that a person names, and their places. A running server may start or change rows at the same time. */
import type { Queue, QueueRow, RowList } from "../../store/queue.ts";

export function listAll(queue: Pick<Queue, "list">, threadId: string): Promise<RowList> {
  return queue.list(threadId, { offset: 0, limit: Number.MAX_SAFE_INTEGER });
}

/** The row with this id; a part of an id that only one row has is enough. Throws in words where there is none. */
export function chooseRow(rows: readonly QueueRow[], word: string): QueueRow {
  const exact = rows.find(({ rowId }) => rowId === word);
  if (exact !== undefined) return exact;
  const [found, ...more] = rows.filter(({ rowId }) => rowId.includes(word));
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
  queue: Pick<Queue, "list" | "reorder">,
  threadId: string,
  word: string,
  position: number,
): Promise<{ readonly rowId: string; readonly position: number }> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { rows } = await listAll(queue, threadId);
    const { rowId } = chooseRow(rows, word);
    const order = rows.map((row) => row.rowId).filter((id) => id !== rowId);
    const at = Math.min(position - 1, order.length);
    order.splice(at, 0, rowId);
    if (await queue.reorder(threadId, order)) return { rowId, position: at + 1 };
  }
  throw new Error("the queue keeps changing: pause it, and move the queued turn then");
}
