import type { JsonObject } from "../base/json-object.ts";
import { threadGoalUpdated } from "./lines/thread-lines.ts";
import { type Done, storeRefusal } from "./refusal.ts";
import type { ThreadStore } from "./thread-store.ts";

/** Appends the goal of a thread, which is opened for it if this process does not write to it; null clears the goal. */
export async function appendGoal(
  threads: Pick<ThreadStore, "journal" | "open">,
  threadId: string,
  goal: JsonObject | null,
): Promise<Done> {
  const own = threads.journal(threadId);
  const opened = own === null ? await threads.open(threadId) : null;
  if (opened?.kind === "refused") return opened;
  const journal = own ?? opened?.journal;
  const outcome = await journal?.append([threadGoalUpdated(threadId, goal)]);
  if (own === null) await journal?.close();
  return outcome === undefined || outcome.kind === "kept"
    ? { kind: "done" }
    : storeRefusal("disk", outcome.message);
}
