import type { Turn } from "../../protocol/generated/types.ts";
import type { History } from "../../store/history/history.ts";
import type { Refusal } from "../../store/history/refusal.ts";
import { accept, isRefusal } from "./stored-threads.ts";

const EVERYTHING = 1_000_000;

/** Every turn of a thread with all its items, oldest first; empty for a thread that has no file yet. */
export async function readWholeHistory(history: History, id: string): Promise<Turn[]> {
  const page = await history.turns(id, { direction: "asc", itemsView: "full", limit: EVERYTHING });
  return [...(acceptPage(page)?.data ?? [])];
}

/** A page of a thread's history; null for a thread that has no file yet. Whatever else keeps it from being read is refused. */
export function acceptPage<P extends object>(answer: P | Refusal): Exclude<P, Refusal> | null {
  return isRefusal(answer) && answer.reason === "missing" ? null : accept(answer);
}

/** What clients are told that ask for all of it at once. */
export const HYDRATION = {
  summary:
    "Full-history hydration is deprecated for paginated threads; use `excludeTurns: true`, then page with `thread/turns/list` and `thread/items/list`.",
  details: null,
};
