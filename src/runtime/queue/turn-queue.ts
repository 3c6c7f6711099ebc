/**
 * The queue of turns of each thread. A row is durable before clients are notified of it. The first row starts when its
 * thread is idle; a row that cannot be started blocks the rows behind it until it is changed, moved or removed.
 *
 * Changes take the lane of the thread, so that rows and turns of a thread have one order.
 */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { type Accepted, accepted } from "../../engine/state/accepted.ts";
import type { Turn } from "../../protocol/generated/types.ts";
import type { NewRow, QueueFull, QueueRow, RowChange, RowList, RowPage } from "../../store/queue.ts";
import type { StartedRow } from "../../store/queue-log.ts";
import type { LaneHeld } from "../threads/lane.ts";
import {
  createQueueDispatcher,
  type FinishedTurn,
  type QueueDispatcher,
  type QueueDispatcherOptions,
  type StartOutcome,
} from "./dispatcher.ts";
import { BYTE_LIMITS, explainFull, MAX_PAGE_BYTES, PUBLISHED } from "./queue-limits.ts";
import { pauseAfterTurn, type QueueSettings, recoverQueue, resumeAfterTurn } from "./queue-recovery.ts";
import { createQueueStates, mayHaveRows, type QueueStates } from "./queue-state.ts";

export interface TurnQueue {
  add(held: LaneHeld, row: NewRow): Promise<AddedRow | StartedBefore | FullQueue>;
  /** The started row with this client key; null if there is none. */
  startedBy(threadId: string, clientUserMessageId: string): Promise<StartedRow | null>;
  /** A page of rows, within the size of one message. */
  list(threadId: string, page: Omit<RowPage, "maxBytes">): Promise<RowList>;
  isEmpty(threadId: string): Promise<boolean>;
  update(held: LaneHeld, rowId: string, change: RowChange): Promise<UpdatedRow | FullQueue | UnknownRow>;
  remove(held: LaneHeld, rowId: string): Promise<Accepted<boolean>>;
  reorder(held: LaneHeld, rowIds: readonly string[]): Promise<Accepted<boolean>>;
  pause(held: LaneHeld, reason: string): Promise<Accepted<true>>;
  resume(held: LaneHeld): Promise<Accepted<boolean>>;
  /** Starts the first row or a chosen one, also if the queue is paused, and ends the pause. */
  start(held: LaneHeld, rowId: string | null): Promise<StartOutcome>;
  /** Starts the next row if it is due and the thread is idle. */
  drain(held: LaneHeld): Promise<Accepted<Turn> | null>;
  /** Recovers the queue of a thread that was loaded, notifies clients and drains. */
  loaded(held: LaneHeld): Promise<Accepted<Turn> | null>;
  /** Notifies clients of the queue again, because the reason of its wait has changed. */
  republish(threadId: string): Promise<void>;
  /** Another process has changed rows of a thread that is loaded here. */
  changedElsewhere(held: LaneHeld): Promise<Accepted<Turn> | null>;
  /** Drains after a turn, or pauses, as configured. `ended` is null if the outcome of the turn is unknown. */
  turnEnded(held: LaneHeld, ended: FinishedTurn | null): Promise<Accepted<Turn> | null>;
  /** Whether a loaded thread may have rows. */
  mayHaveRows(threadId: string): boolean;
  /** Whether a loaded thread has no rows, as far as this process knows without asking the store. */
  isKnownEmpty(threadId: string): boolean;
  /** Forgets an unloaded thread. */
  forget(threadId: string): void;
  close(): void;
}

/** `begin` begins the turn that could be started, or notifies clients of the change. */
export interface AddedRow extends Pick<Accepted<unknown>, "begin"> {
  readonly kind: "added" | "known";
  readonly row: QueueRow;
}

/** A row with the same client key has already started; nothing is added. */
export interface StartedBefore {
  readonly kind: "started";
  readonly started: StartedRow;
}

export interface UpdatedRow extends Pick<Accepted<unknown>, "begin"> {
  readonly kind: "updated";
  readonly row: QueueRow;
}

export interface UnknownRow {
  readonly kind: "unknownRow";
}

/** A limit would be exceeded; the message names it. */
export interface FullQueue {
  readonly kind: "full";
  readonly message: string;
}

export interface TurnQueueOptions extends Omit<QueueDispatcherOptions, "states"> {
  readonly settings: () => Promise<QueueSettings>;
  readonly clock: Clock;
  /** The first row of a thread is due; the callback takes the lane and drains. */
  readonly onDue: (threadId: string) => void;
}

export function createTurnQueue(options: TurnQueueOptions): TurnQueue {
  const { queue, threads, clock, log, createId, publish } = options;
  const states = createQueueStates(clock, options.onDue);
  const dispatcher = createQueueDispatcher({ queue, threads, states, log, createId, publish });
  const { publishNow } = dispatcher;
  const { changed, drain } = createDraining(dispatcher, states, options);
  const limits = async () => ({ ...BYTE_LIMITS, maxRows: (await options.settings()).maxRows });
  const refused = async (full: QueueFull): Promise<FullQueue> => ({
    kind: "full",
    message: explainFull(full, await limits()),
  });

  return {
    async add(held, row) {
      // A thread that is not durable would be lost with this process, and the row would wait forever.
      const threadId = held.check();
      await threads.persist(threadId);
      const outcome = await queue.add(threadId, row, await limits());
      if (outcome.kind === "full") return refused(outcome);
      if (outcome.kind === "started") return outcome;
      const { begin } = await changed(held, null, outcome.kind === "added");
      return { ...outcome, begin };
    },
    startedBy: (threadId, key) => queue.startedBy(threadId, key),
    list: (threadId, page) => queue.list(threadId, { ...page, maxBytes: MAX_PAGE_BYTES }),
    isEmpty: async (threadId) => (await queue.find(threadId, null)) === null,
    async update(held, rowId, change) {
      const outcome = await queue.update(held.check(), rowId, change, BYTE_LIMITS);
      if (outcome.kind === "full") return refused(outcome);
      if (outcome.kind !== "updated") return outcome;
      return { ...outcome, begin: (await changed(held, null, true)).begin };
    },
    async remove(held, rowId) {
      const isRemoved = await queue.remove(held.check(), rowId);
      return changed(held, isRemoved, isRemoved);
    },
    async reorder(held, rowIds) {
      const isDone = await queue.reorder(held.check(), rowIds);
      return changed(held, isDone, isDone);
    },
    async pause(held, reason) {
      await queue.pause(held.check(), reason);
      return changed(held, true, true);
    },
    async resume(held) {
      const isResumed = await queue.resume(held.check());
      return changed(held, isResumed, isResumed);
    },
    async start(held, wanted) {
      const outcome = await dispatcher.start(held, wanted);
      if (outcome.kind === "accepted" && (await queue.resume(held.threadId))) await publishNow(held.threadId);
      return outcome;
    },
    drain,
    republish: publishNow,
    loaded(held) {
      states.apply(held.check(), { type: "loaded" });
      return drain(held);
    },
    async changedElsewhere(held) {
      states.apply(held.check(), { type: "changed" });
      await publishNow(held.threadId);
      return drain(held);
    },
    mayHaveRows: (threadId) => mayHaveRows(states.of(threadId)),
    isKnownEmpty: (threadId) => states.of(threadId).kind === "idle",
    async turnEnded(held, ended) {
      const threadId = held.check();
      if (states.of(threadId).kind === "idle") return null;
      if (ended !== null && (await pauseAfterTurn(threadId, ended, options))) return null;
      const turn = await drain(held);
      // A turn that was not started by the queue ends the pause after an earlier one.
      const resumes = turn === null && (await resumeAfterTurn(threadId, ended, options));
      if (!resumes) return turn;
      await publishNow(threadId);
      return drain(held);
    },
    forget: states.forget,
    close: states.close,
  };
}

/** After a change, notifies clients and starts the next row if possible. */
function createDraining(dispatcher: QueueDispatcher, states: QueueStates, options: TurnQueueOptions) {
  const { queue, threads, publish, log } = options;

  async function drain(held: LaneHeld): Promise<Accepted<Turn> | null> {
    const threadId = held.check();
    if (states.of(threadId).kind !== "unrecovered") return dispatcher.drain(held);
    const { hasRows, canContinue } = await recoverQueue(threadId, options);
    states.apply(threadId, { type: "recovered", hasRows });
    return canContinue ? dispatcher.drain(held) : null;
  }

  async function changed<T>(held: LaneHeld, value: T, isChanged: boolean): Promise<Accepted<T>> {
    if (!isChanged) return accepted(value);
    const { threadId } = held;
    states.apply(threadId, { type: "changed" });
    try {
      const rows = await queue.list(threadId, PUBLISHED);
      if (!threads.isFree(threadId)) return accepted(value, () => publish(threadId, rows));
      // Clients must learn of a row before they learn that it has started.
      publish(threadId, rows);
      const turn = await drain(held);
      return accepted(value, () => turn?.begin());
    } catch (error) {
      // The change is durable; draining is retried after the next turn.
      log.error("a queue could not be drained", { threadId, error: messageOf(error) });
      return accepted(value);
    }
  }

  return { changed, drain };
}
