import type { Queue, QueueRow, RowList } from "../../store/queue.ts";

/** Page size in bytes: a queue may be larger than should be held in memory. */
const MAX_PAGE_BYTES = 1024 * 1024;
const PAGE = 100;
/** Retries after concurrent changes. */
const MAX_TRIES = 10;

/** Reads a consistent snapshot of all rows, and maps each. */
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
