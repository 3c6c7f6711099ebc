/** Notifications of a queue, with the reason why its first row does not start. */
import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ThreadEvent } from "../../engine/state/events.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { QueueHold, ThreadQueueChangedNotification } from "../../protocol/generated/types.ts";
import type { RowList } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import { toQueuedTurn } from "./queue-entry.ts";
import { type FirstRow, type ThreadState, whatHolds } from "./queue-hold.ts";

export interface QueueNotices {
  of(threadId: string, list: RowList): ThreadQueueChangedNotification;
  /** Why the first row does not start; null where nothing prevents it. */
  holdOf(threadId: string, first: FirstRow): Promise<QueueHold | null>;
}

export interface QueueNoticesOptions {
  readonly engine: Pick<Engine, "find">;
  readonly store: () => Promise<Pick<Store, "isHeld" | "queue">>;
  readonly clock: Clock;
}

export function createQueueNotices({ engine, store, clock }: QueueNoticesOptions): QueueNotices {
  return {
    of(threadId, { rows, total, pause }) {
      const state = stateOf(engine.find(threadId));
      const hold = state === null ? null : whatHolds({ row: rows[0], pause }, state, clock.now());
      return {
        threadId,
        queuedTurns: rows.map(toQueuedTurn),
        ...(rows.length < total && { nextCursor: String(rows.length) }),
        ...(pause !== null && { pauseReason: pause }),
        ...(hold !== null && { heldUpBy: hold }),
      };
    },
    async holdOf(threadId, first) {
      const here = stateOf(engine.find(threadId));
      return whatHolds(first, here ?? (await stateElsewhere(threadId, await store())), clock.now());
    },
  };
}

/** Detects events with which a thread begins or ends to wait for an answer while its turn runs. */
export function createAskingWatch(): (threadId: string, event: ThreadEvent) => boolean {
  const asking = new Set<string>();
  return (threadId, event) => {
    if (event.type === "unloaded") asking.delete(threadId);
    if (event.type !== "statusChanged") return false;
    const { status } = event;
    const isAsking = status.type === "active" && status.activeFlags.length > 0;
    if (isAsking === asking.has(threadId)) return false;
    if (isAsking) asking.add(threadId);
    else asking.delete(threadId);
    return status.type === "active";
  };
}

function stateOf(thread: Thread | undefined): ThreadState | null {
  if (thread === undefined) return null;
  const status = thread.status();
  const isAsking = status.type === "active" && status.activeFlags.length > 0;
  return { kind: "loaded", turnId: thread.activeTurnId, isAsking };
}

async function stateElsewhere(
  threadId: string,
  { isHeld, queue }: Pick<Store, "isHeld" | "queue">,
): Promise<ThreadState> {
  if (await isHeld(threadId)) return { kind: "elsewhere" };
  return { kind: (await queue.isAttended()) ? "attended" : "unattended" };
}
