import type { SortDirection, Turn } from "../../protocol/generated/types.ts";
import type { ThreadStore } from "../../store/thread-store.ts";

/** A turn may be large: no more than so many are held at once. */
const PAGE = 10;

/** The turns of a thread with all their items; throws in words where they cannot be read. */
export async function* readTurns(
  threads: Pick<ThreadStore, "turns">,
  threadId: string,
  direction: SortDirection,
): AsyncGenerator<Turn> {
  let cursor: string | null = null;
  do {
    const page = await threads.turns(threadId, { direction, itemsView: "full", limit: PAGE, cursor });
    if (page.kind === "refused") throw new Error(page.message);
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
