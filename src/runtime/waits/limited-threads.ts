/** The stored threads whose turns wait for the end of a usage limit, without loading them. */
import type { ThreadWaiting } from "../../protocol/generated/types.ts";
import type { Store } from "../../store/store.ts";
import { toWaiting } from "../../store/waiting.ts";
import type { Waits } from "../../store/waits.ts";
import { findWaiting } from "../questions/waiting-threads.ts";

/** Waits that are read at once. */
export const MAX_WAITS_READ = 1000;

/** The stored threads whose turns wait for an answer or for the end of a usage limit. */
export async function findWaitingThreads(
  { decisions, waits }: Pick<Store, "decisions" | "waits">,
  questionTimeoutMs: number,
): Promise<ReadonlyMap<string, ThreadWaiting>> {
  const [asked, limited] = await Promise.all([findWaiting(decisions, questionTimeoutMs), findLimited(waits)]);
  return new Map([...asked, ...limited]);
}

/** By thread: of one thread if it is named. */
export async function findLimited(
  waits: Pick<Waits, "find" | "list">,
  threadId?: string,
): Promise<ReadonlyMap<string, ThreadWaiting>> {
  const found = threadId === undefined ? await waits.list(MAX_WAITS_READ) : [await waits.find(threadId)];
  return new Map(found.flatMap((wait) => (wait === null ? [] : [[wait.threadId, toWaiting(wait)]])));
}
