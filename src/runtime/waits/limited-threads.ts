/** The stored threads whose turns wait for the end of a usage limit, without loading them. */
import type { ThreadWaiting } from "../../protocol/generated/types.ts";
import { toWaiting } from "../../store/waiting.ts";
import type { Waits } from "../../store/waits.ts";

/** Waits that are read at once. */
export const MAX_WAITS_READ = 1000;

/** By thread: of one thread if it is named. */
export async function findLimited(
  waits: Pick<Waits, "find" | "list">,
  threadId?: string,
): Promise<ReadonlyMap<string, ThreadWaiting>> {
  const found = threadId === undefined ? await waits.list(MAX_WAITS_READ) : [await waits.find(threadId)];
  return new Map(found.flatMap((wait) => (wait === null ? [] : [[wait.threadId, toWaiting(wait)]])));
}
