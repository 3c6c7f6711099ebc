/** Threads whose queue takes turns from outside: the persistent ones, loaded or not. */
import { refusal } from "../../base/refusal.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Store } from "../../store/store.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";

export interface TargetParts {
  readonly engine: Pick<Engine, "find">;
  readonly store: () => Promise<Pick<Store, "threads">>;
}

/** Null if turns can be queued for the thread. */
export async function refuseQueueTarget(
  threadId: string,
  { engine, store }: TargetParts,
): Promise<ThreadRefusal | null> {
  const thread = engine.find(threadId);
  if (thread?.view().ephemeral === true)
    return refuseInvalid(`thread ${threadId} is ephemeral: its queue would be lost with this server`);
  if (thread !== undefined) return null;
  const stored = await (await store()).threads.read(threadId);
  if (stored === null) return refusal("threadNotFound", `there is no thread ${threadId}`);
  return stored.archived ? refuseInvalid(`thread ${threadId} is archived: unarchive it first`) : null;
}
