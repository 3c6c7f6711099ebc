import type { Clock } from "../../base/clock.ts";
import { advance, mayHaveRows, type QueueEvent, type QueueState } from "./queue-state.ts";

/** The states of the queues of loaded threads, with an alarm for each that waits. */
export interface QueueStates {
  of(threadId: string): QueueState;
  apply(threadId: string, event: QueueEvent): void;
  /** A thread that is not loaded any more. */
  forget(threadId: string): void;
  close(): void;
}

const IDLE: QueueState = { kind: "idle" };
/** The clock may be set, and timers do not count while a machine sleeps, so that an alarm goes off at least this often. */
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
      const state = advance(of(threadId), event);
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
