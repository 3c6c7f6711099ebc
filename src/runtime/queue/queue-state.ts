/**
 * The state of the queue of one loaded thread in this process. The rows are in the store; the state says whether the store
 * has to be queried, and what has to happen before the next row can start.
 *
 *     loaded ──> unrecovered ──recovered──> idle | ready
 *     idle ──changed──> ready ──emptied──> idle
 *     ready ──deferred──> waiting ──changed──> ready
 *     ready ──ackFailed──> unacked ──acked──> ready
 */

import type { Clock } from "../../base/clock.ts";
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

export function nextQueueState(state: QueueState, event: QueueEvent): QueueState {
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

/** The states of the queues of loaded threads, with a timer for each that waits. */
export interface QueueStates {
  of(threadId: string): QueueState;
  apply(threadId: string, event: QueueEvent): void;
  /** Forgets an unloaded thread. */
  forget(threadId: string): void;
  close(): void;
}

/** The wall clock may be set and timers do not advance during sleep, so timers fire at least this often. */
const CHECK_AGAIN_MS = 60_000;

export function createQueueStates(clock: Clock, onDue: (threadId: string) => void): QueueStates {
  const states = new Map<string, QueueState>();
  const alarms = new Map<string, () => void>();

  function cancel(threadId: string): void {
    alarms.get(threadId)?.();
    alarms.delete(threadId);
  }

  function setAlarm(threadId: string, timeMs: number): void {
    const delayMs = Math.min(CHECK_AGAIN_MS, Math.max(0, timeMs - clock.now()));
    alarms.set(
      threadId,
      clock.after(delayMs, () => onDue(threadId), { keepsAlive: false }),
    );
  }

  const of = (threadId: string) => states.get(threadId) ?? IDLE;

  return {
    of,
    apply(threadId, event) {
      const state = nextQueueState(of(threadId), event);
      if (mayHaveRows(state) || state.kind === "unrecovered") states.set(threadId, state);
      else states.delete(threadId);
      cancel(threadId);
      if (state.kind === "waiting") setAlarm(threadId, state.untilMs);
    },
    forget(threadId) {
      states.delete(threadId);
      cancel(threadId);
    },
    close() {
      for (const threadId of alarms.keys()) cancel(threadId);
    },
  };
}
