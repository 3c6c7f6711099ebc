/** Derives the state of a thread from its store, without the server that has it loaded. */
import type { ThreadState } from "../../runtime/queue/queue-hold.ts";
import type { Store } from "../../store/store.ts";

type ThreadStateStore = Pick<Store, "threads" | "isHeld" | "decisions" | "queue">;

/** Newest decisions that are searched for an open one. */
const RECENT = 50;

export async function readThreadState(
  { threads, isHeld, decisions, queue }: ThreadStateStore,
  threadId: string,
): Promise<ThreadState> {
  if (!(await isHeld(threadId))) return { kind: (await queue.isAttended()) ? "attended" : "unattended" };
  const page = await threads.turns(threadId, { direction: "desc", limit: 1, itemsView: "notLoaded" });
  const last = page.kind === "page" ? page.data[0] : undefined;
  // The process that has the thread loaded also starts its queued turns.
  if (last?.status !== "inProgress") return { kind: "loaded", turnId: null, isAsking: false };
  const asked = await decisions.list({ threadId, limit: RECENT });
  const isAsking = asked.some(({ turnId, verdict }) => turnId === last.id && verdict === null);
  return { kind: "loaded", turnId: last.id, isAsking };
}
