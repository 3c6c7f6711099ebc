import type { Turn } from "../protocol/generated/types.ts";
import type { History } from "../store/history/history.ts";

const EVERYTHING = 1_000_000;

/** Every turn of a thread with all its items, oldest first; empty for a thread that has no file yet. */
export async function readWholeHistory(history: History, id: string): Promise<Turn[]> {
  const page = await history.turns(id, { direction: "asc", itemsView: "full", limit: EVERYTHING });
  return page.kind === "page" ? [...page.data] : [];
}

/** What clients are told that ask for all of it at once. */
export const HYDRATION = {
  summary:
    "Full-history hydration is deprecated for paginated threads; use `excludeTurns: true`, then page with `thread/turns/list` and `thread/items/list`.",
  details: null,
};
