/**
 * The queue of turns of each thread. What is added is kept before anybody hears of it. The first row is started when its
 * thread is free; one that cannot be started blocks those behind it until it is changed, moved or taken out.
 *
 * Changes take the lane of the thread, so that rows and turns of a thread have one order.
 */
import { messageOf } from "../../base/errors.ts";
import { type Accepted, accepted } from "../../engine/state/accepted.ts";
import type { Turn, TurnError } from "../../protocol/generated/types.ts";
import type { Fence } from "../../store/leases.ts";
import type { Full, NewRow, QueueRow, RowChange, RowList, RowPage } from "../../store/queue.ts";
import type { StartedRow } from "../../store/queue-log.ts";
import type { LaneHeld } from "../threads/lane.ts";
import {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
  type EndedTurn,
  type StartOutcome,
} from "./dispatcher.ts";
import { BYTE_LIMITS, explainFull, MAX_PAGE_BYTES, NO_ROWS, PUBLISHED } from "./queue-limits.ts";

export interface TurnQueue {
  add(held: LaneHeld, row: NewRow): Promise<AddedRow | StartedBefore | FullQueue>;
  /** What has become of a row with this key of its client; null where there is none. */
  startedBy(threadId: string, clientUserMessageId: string): Promise<StartedRow | null>;
  /** A page of what one message may tell. */
  list(threadId: string, page: Omit<RowPage, "maxBytes">): Promise<RowList>;
  isEmpty(threadId: string): Promise<boolean>;
  update(held: LaneHeld, rowId: string, change: RowChange): Promise<UpdatedRow | FullQueue | UnknownRow>;
  remove(held: LaneHeld, rowId: string): Promise<Accepted<boolean>>;
  reorder(held: LaneHeld, rowIds: readonly string[]): Promise<Accepted<boolean>>;
  pause(held: LaneHeld, reason: string): Promise<Accepted<true>>;
  resume(held: LaneHeld): Promise<Accepted<boolean>>;
  /** Starts the first row or a chosen one, whatever holds the queue up; it goes on by itself afterwards. */
  start(held: LaneHeld, rowId: string | null): Promise<StartOutcome>;
  /** Starts what is next, where there is anything and the thread is free. */
  drain(held: LaneHeld): Promise<Accepted<Turn> | null>;
  /** Begins with a thread that was loaded: what its last holder has left claimed is settled, clients hear, and it goes on. */
  loaded(held: LaneHeld): Promise<Accepted<Turn> | null>;
  /** Tells clients of the queue once more: what holds it up has changed. */
  show(threadId: string): Promise<void>;
  /** Another process has changed rows of a thread that is loaded here. */
  changedElsewhere(held: LaneHeld): Promise<Accepted<Turn> | null>;
  /** Goes on after a turn, as the configuration has it; null where it is not known how the last one ended. */
  turnEnded(held: LaneHeld, ended: EndedTurn | null): Promise<Accepted<Turn> | null>;
  /** Whether a loaded thread may have rows. */
  mayHaveRows(threadId: string): boolean;
  /** A thread that is not loaded any more. */
  forget(threadId: string): void;
  close(): void;
}

/** `begin` begins the turn that could be started, or notifies clients of the change. */
export interface AddedRow extends Pick<Accepted<unknown>, "begin"> {
  readonly kind: "added" | "known";
  readonly row: QueueRow;
}

/** A row with the same key of its client has started; nothing is added. */
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

/** It would go beyond a limit, which the message names. */
export interface FullQueue {
  readonly kind: "full";
  readonly message: string;
}

export interface QueueSettings {
  readonly maxRows: number;
  readonly afterInterrupt: "continue" | "pause";
  readonly afterFailure: "continue" | "pause";
}

export interface TurnQueueOptions extends DispatcherOptions {
  readonly settings: () => Promise<QueueSettings>;
}

const PAUSE_REASONS = {
  interrupted: "the turn before was interrupted",
  failed: "the turn before failed",
} as const;
const CUT_OFF: TurnError = {
  message: "queued turn dispatch was interrupted while app-server restarted",
  codexErrorInfo: null,
  additionalDetails: null,
  misalignment: null,
};

export function createTurnQueue(options: TurnQueueOptions): TurnQueue {
  const { queue, threads } = options;
  const dispatcher = createDispatcher(options);
  const { publishNow } = dispatcher;
  const { changed, drain, unrecovered } = createDraining(dispatcher, options);
  const limits = async () => ({ ...BYTE_LIMITS, maxRows: (await options.settings()).maxRows });
  const refused = async (full: Full): Promise<FullQueue> => ({
    kind: "full",
    message: explainFull(full, await limits()),
  });

  return {
    async add(held, row) {
      const threadId = held.check();
      // What waits for a thread that goes with its process would wait for ever.
      await threads.hold(threadId);
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
      const { threadId } = held;
      const outcome = await dispatcher.start(held, wanted);
      if (outcome.kind === "accepted" && (await queue.resume(threadId))) await publishNow(threadId);
      return outcome;
    },
    drain,
    show: publishNow,
    loaded(held) {
      unrecovered.add(held.threadId);
      return drain(held);
    },
    async changedElsewhere(held) {
      dispatcher.note(held.threadId);
      await publishNow(held.threadId);
      return drain(held);
    },
    mayHaveRows: dispatcher.mayHaveRows,
    async turnEnded(held, ended) {
      const { threadId } = held;
      if (!unrecovered.has(threadId) && !dispatcher.mayHaveRows(threadId)) return null;
      if (ended !== null && (await pausesAfter(threadId, ended, options))) return null;
      const turn = await drain(held);
      // Whoever starts another turn goes on, and so does the queue behind it.
      const resumes = turn === null && (await resumesAfter(threadId, ended, options));
      if (!resumes) return turn;
      await publishNow(threadId);
      return drain(held);
    },
    forget(threadId) {
      unrecovered.delete(threadId);
      dispatcher.forget(threadId);
    },
    close: dispatcher.close,
  };
}

/** What follows from a change: clients hear of it, and what can start does. */
function createDraining(dispatcher: Dispatcher, options: TurnQueueOptions) {
  const { queue, threads, publish, log } = options;
  /** Threads whose queue could not be recovered so far. */
  const unrecovered = new Set<string>();

  async function drain(held: LaneHeld): Promise<Accepted<Turn> | null> {
    const threadId = held.check();
    if (!unrecovered.has(threadId)) return dispatcher.drain(held);
    const canContinue = await recoverQueue(threadId, dispatcher, options);
    unrecovered.delete(threadId);
    return canContinue ? dispatcher.drain(held) : null;
  }

  async function changed<T>(held: LaneHeld, value: T, isChanged: boolean): Promise<Accepted<T>> {
    if (!isChanged) return accepted(value);
    const { threadId } = held;
    dispatcher.note(threadId);
    try {
      const rows = await queue.list(threadId, PUBLISHED);
      // Where something may start at once, clients hear of the row before they hear that it has gone.
      if (!threads.isFree(threadId)) return accepted(value, () => publish(threadId, rows));
      publish(threadId, rows);
      const turn = await drain(held);
      return accepted(value, () => turn?.begin());
    } catch (error) {
      // Whoever asked for the change has it: it is kept, and what follows from it is tried again after the next turn.
      log.error("a queue could not go on", { threadId, error: messageOf(error) });
      return accepted(value);
    }
  }

  return { changed, drain, unrecovered };
}

/** What the last holder of a thread has left claimed is settled, and clients hear of the queue. False where it waits. */
async function recoverQueue(
  threadId: string,
  dispatcher: Pick<Dispatcher, "note">,
  options: TurnQueueOptions,
): Promise<boolean> {
  const { queue, threads, publish } = options;
  const fence = await threads.fenceOf(threadId);
  // A new thread has no rows.
  if (fence === null) return false;
  const hasStarted = (turnId: string) => threads.hasTurn(threadId, turnId);
  const recovered = await queue.recover(fence, hasStarted, { ...CUT_OFF });
  if (recovered.kind === "fenced") return false;
  if (recovered.hasChanged) await closeLog(fence, options);
  const rows = await queue.list(threadId, PUBLISHED);
  // Whoever saw rows before the restart hears of it also when all of them have gone.
  if (rows.total === 0 && !recovered.hasChanged) return false;
  if (rows.total > 0) dispatcher.note(threadId);
  const last = await threads.lastTurn(threadId);
  if (last !== null && (await pausesAfter(threadId, last, options))) return false;
  publish(threadId, rows);
  return true;
}

/** How turns have ended whose process did not live to record it. */
async function closeLog(fence: Fence, { queue, threads, clock }: TurnQueueOptions): Promise<void> {
  const { threadId } = fence;
  for (const { turnId } of await queue.started({ threadId, isOpen: true, limit: OPEN_ENDS })) {
    const end = await threads.endOf(threadId, turnId);
    const unknown = {
      how: "interrupted",
      atMs: clock.now(),
      durationMs: null,
      tokens: null,
      error: null,
    } as const;
    await queue.recordEnd(fence, turnId, end ?? unknown);
  }
}

/** More than one is only there where the store was not able to record an end. */
const OPEN_ENDS = 50;

/** Where the queue is to wait after a turn, it is paused, which clients hear. */
async function pausesAfter(
  threadId: string,
  { turnId, how }: EndedTurn,
  { queue, settings, publish }: TurnQueueOptions,
): Promise<boolean> {
  if (how === "completed") return false;
  const { afterInterrupt, afterFailure } = await settings();
  if ((how === "failed" ? afterFailure : afterInterrupt) === "continue") return false;
  const { pause, total } = await queue.list(threadId, NO_ROWS);
  if (pause !== null || total === 0) return false;
  // Whoever has resumed it since is not contradicted when the thread is loaded again.
  if (!(await queue.pauseAfter(threadId, turnId, PAUSE_REASONS[how]))) return false;
  publish(threadId, await queue.list(threadId, PUBLISHED));
  return true;
}

/** Whether it goes on again that waited since an earlier turn. */
async function resumesAfter(
  threadId: string,
  ended: EndedTurn | null,
  { queue, settings }: TurnQueueOptions,
): Promise<boolean> {
  if (ended?.how === "interrupted") return false;
  if (ended?.how === "failed" && (await settings()).afterFailure === "pause") return false;
  const { pause } = await queue.list(threadId, NO_ROWS);
  const isAfterTurn = Object.values<string | null>(PAUSE_REASONS).includes(pause);
  return isAfterTurn && queue.resume(threadId);
}
