/** Why nothing of a queue starts at the moment, for people: first what one of them has to do something about. */
import type { QueueHold } from "../../protocol/generated/types.ts";
import type { QueueRow, RowList } from "../../store/queue.ts";

/** What a thread is doing, as far as whoever asks can see. */
export type ThreadState =
  | { readonly kind: "loaded"; readonly turnId: string | null; readonly isAsking: boolean }
  /** Another process has it. */
  | { readonly kind: "elsewhere" }
  /** Nobody has it; some server loads it when its queue is due. */
  | { readonly kind: "attended" }
  /** Nobody has it, and nobody loads it without a client. */
  | { readonly kind: "unattended" };

export interface FirstRow {
  readonly row: Pick<QueueRow, "rowId" | "state" | "notBeforeMs"> | undefined;
  readonly pause: RowList["pause"];
}

/** Null where nothing waits, or where it is about to start. */
export function whatHolds({ row, pause }: FirstRow, thread: ThreadState, nowMs: number): QueueHold | null {
  if (row === undefined) return null;
  const turnId = thread.kind === "loaded" ? thread.turnId : null;
  if (thread.kind === "loaded" && thread.isAsking && turnId !== null) return { type: "question", turnId };
  if (pause !== null) return { type: "paused", reason: pause };
  if (row.state === "failed") return { type: "failed", queuedTurnId: row.rowId };
  if (row.notBeforeMs !== null && row.notBeforeMs > nowMs)
    return { type: "notBefore", notBefore: Math.floor(row.notBeforeMs / 1000) };
  if (turnId !== null) return { type: "turn", turnId };
  if (thread.kind === "unattended") return { type: "noServer" };
  return thread.kind === "elsewhere" ? { type: "elsewhere" } : null;
}
