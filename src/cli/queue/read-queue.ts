import type { Queue, QueueRow, RowList } from "../../store/queue.ts";

/** Rows are read so many bytes at a time: a queue may hold more than should be in memory at once. */
const MAX_PAGE_BYTES = 1024 * 1024;
const PAGE = 100;
/** How often rows may come and go while they are read. */
const MAX_TRIES = 10;

/** All rows that wait, in the order that they had at one moment, and of each what is made of it. */
export async function readQueue<T>(
  queue: Pick<Queue, "ids" | "list">,
  threadId: string,
  toShown: (row: QueueRow) => T,
): Promise<{ readonly rows: readonly T[]; readonly pause: string | null }> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const rowIds = await queue.ids(threadId);
    const rows: T[] = [];
    let page: RowList;
    let isSame = true;
    do {
      const offset = rows.length;
      page = await queue.list(threadId, { offset, limit: PAGE, maxBytes: MAX_PAGE_BYTES, atLeast: 1 });
      isSame = page.rows.every((row, at) => row.rowId === rowIds[offset + at]);
      rows.push(...page.rows.map(toShown));
    } while (isSame && page.rows.length > 0 && rows.length < rowIds.length);
    if (isSame && rows.length === rowIds.length) return { rows, pause: page.pause };
  }
  throw new Error("the queue keeps changing: pause it, and list it then");
}
