/**
 * The state of the queue of one loaded thread in this process. The rows are in the store; the state says whether the store
 * has to be queried, and what has to happen before the next row can start.
 *
 *     loaded ──> unrecovered ──recovered──> idle | ready
 *     idle ──changed──> ready ──emptied──> idle
 *     ready ──deferred──> waiting ──changed──> ready
 *     ready ──ackFailed──> unacked ──acked──> ready
 */
import type { Fence } from "../../store/leases.ts";

export type QueueState =
  /** The queue has no rows. */
  | { readonly kind: "idle" }
  /** Claims of an earlier process have not been recovered; no row may start before. */
  | { readonly kind: "unrecovered"; readonly mayHaveRows: boolean }
  /** The queue may have rows, and the first one may be due. */
  | { readonly kind: "ready" }
  /** The first row is not due before this time. */
  | { readonly kind: "waiting"; readonly untilMs: number }
  /** A row could not be started, and the store could not record that so far; no other row may start before. */
  | { readonly kind: "unacked"; readonly ack: (fence: Fence) => Promise<unknown> };

export type QueueEvent =
  | { readonly type: "loaded" }
  /** A row was added, changed or moved, here or by another process. */
  | { readonly type: "changed" }
  | { readonly type: "recovered"; readonly hasRows: boolean }
  | { readonly type: "emptied" }
  | { readonly type: "deferred"; readonly untilMs: number }
  | { readonly type: "ackFailed"; readonly ack: (fence: Fence) => Promise<unknown> }
  | { readonly type: "acked" };

const IDLE: QueueState = { kind: "idle" };
const READY: QueueState = { kind: "ready" };

export function advance(state: QueueState, event: QueueEvent): QueueState {
  switch (event.type) {
    case "loaded":
      return { kind: "unrecovered", mayHaveRows: mayHaveRows(state) };
    case "changed":
      if (state.kind === "unrecovered") return { kind: "unrecovered", mayHaveRows: true };
      return state.kind === "unacked" ? state : READY;
    case "recovered":
      return event.hasRows || mayHaveRows(state) ? READY : IDLE;
    case "emptied":
      return IDLE;
    case "deferred":
      return { kind: "waiting", untilMs: event.untilMs };
    case "ackFailed":
      return { kind: "unacked", ack: event.ack };
    case "acked":
      return state.kind === "unacked" ? READY : state;
  }
}

/** Whether the store has to be asked for rows. */
export function mayHaveRows(state: QueueState): boolean {
  return state.kind === "unrecovered" ? state.mayHaveRows : state.kind !== "idle";
}
