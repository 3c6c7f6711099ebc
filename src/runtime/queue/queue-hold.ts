/** The reason why a queue does not start its first row. Reasons that need a user come first. */
import type { QueueHold, ThreadWaiting } from "../../protocol/generated/types.ts";
import type { QueueRow, RowList } from "../../store/queue.ts";

/** The state of a thread, as far as this process knows it. */
export type ThreadState =
  | {
      readonly kind: "loaded";
      readonly turnId: string | null;
      readonly isAsking: boolean;
      readonly waiting?: ThreadWaiting | null;
    }
  /** No process holds it, and its turn waits for the end of a usage limit. */
  | { readonly kind: "limited"; readonly waiting: ThreadWaiting }
  /** Another process holds it. */
  | { readonly kind: "elsewhere" }
  /** No process holds it; some server loads it when its queue is due. */
  | { readonly kind: "attended" }
  /** No process holds it, and no server loads it without a client. */
  | { readonly kind: "unattended" };

export interface FirstRow {
  readonly row: Pick<QueueRow, "rowId" | "state" | "notBeforeMs"> | undefined;
  readonly pause: RowList["pause"];
}

function limitOf(thread: ThreadState): QueueHold | null {
  const waiting = "waiting" in thread ? thread.waiting : null;
  if (waiting?.reason !== "usageLimit") return null;
  return { type: "usageLimit", turnId: waiting.turnId, until: waiting.until };
}

/** Null if the queue is empty, or its first row is about to start. */
export function holdReason({ row, pause }: FirstRow, thread: ThreadState, nowMs: number): QueueHold | null {
  if (row === undefined) return null;
  const turnId = thread.kind === "loaded" ? thread.turnId : null;
  const limited = limitOf(thread);
  if (limited !== null) return limited;
  if (thread.kind === "loaded" && thread.isAsking && turnId !== null) return { type: "question", turnId };
  if (pause !== null) return { type: "paused", reason: pause };
  if (row.state === "failed") return { type: "failed", queuedTurnId: row.rowId };
  if (row.notBeforeMs !== null && row.notBeforeMs > nowMs)
    return { type: "notBefore", notBefore: Math.floor(row.notBeforeMs / 1000) };
  if (turnId !== null) return { type: "turn", turnId };
  if (thread.kind === "unattended") return { type: "noServer" };
  return thread.kind === "elsewhere" ? { type: "elsewhere" } : null;
}
