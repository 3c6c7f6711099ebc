/** Finds the turn that an earlier process has left waiting for the end of a usage limit. */
import type { Logger } from "../../base/logger.ts";
import type { ContinuedWork } from "../../engine/turn/suspended-turn.ts";
import type { Store } from "../../store/store.ts";
import type { OpenedThread } from "../../store/thread-store.ts";
import { holdWait } from "../setup/wait-log.ts";

/** Null where the unfinished turn of the thread does not wait; a wait of another turn is removed. */
export async function recallWait(
  { journal, unfinishedTurnId }: Pick<OpenedThread, "journal" | "unfinishedTurnId">,
  { waits }: Pick<Store, "waits">,
  log: Logger,
): Promise<ContinuedWork | null> {
  const { threadId, fence } = journal;
  const wait = fence === null ? null : await waits.find(threadId);
  if (fence === null || wait === null) return null;
  const { turnId } = wait.turn;
  if (turnId !== unfinishedTurnId) {
    await waits.remove(fence, turnId);
    return null;
  }
  return { held: holdWait(wait, { waits, fenceNow: () => journal.fence, log }) };
}
