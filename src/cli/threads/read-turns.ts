/** Reads the turns of a stored thread. */
import type { SortDirection, Turn } from "../../protocol/generated/types.ts";
import type { ThreadStore } from "../../store/thread-store.ts";

/** The page size: turns may be large, so few are held at once. */
const TURNS_PER_PAGE = 10;

/** Reads the turns of a thread with all their items; throws where they cannot be read. */
export async function* readTurns(
  threads: Pick<ThreadStore, "turns">,
  threadId: string,
  direction: SortDirection,
): AsyncGenerator<Turn> {
  let cursor: string | null = null;
  do {
    const page = await threads.turns(threadId, {
      direction,
      itemsView: "full",
      limit: TURNS_PER_PAGE,
      cursor,
    });
    if (page.kind === "refused") throw new Error(page.message);
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
