/** What a thread is doing, as whoever looks at its home from outside can tell. */
import type { ThreadState } from "../../runtime/queue/queue-hold.ts";
import type { Store } from "../../store/store.ts";

type Looked = Pick<Store, "threads" | "isHeld" | "decisions" | "queue">;

/** Decisions of a turn that are looked at for one that is open. */
const RECENT = 50;

export async function stateOf(
  { threads, isHeld, decisions, queue }: Looked,
  threadId: string,
): Promise<ThreadState> {
  if (!(await isHeld(threadId))) return { kind: (await queue.isAttended()) ? "attended" : "unattended" };
  const page = await threads.turns(threadId, { direction: "desc", limit: 1, itemsView: "notLoaded" });
  const last = page.kind === "page" ? page.data[0] : undefined;
  // Whoever has it loaded starts what waits in it.
  if (last?.status !== "inProgress") return { kind: "loaded", turnId: null, isAsking: false };
  const asked = await decisions.list({ threadId, limit: RECENT });
  const isAsking = asked.some(({ turnId, verdict }) => turnId === last.id && verdict === null);
  return { kind: "loaded", turnId: last.id, isAsking };
}
