/**
 * Starts the rows of queues. A row is claimed under the id of its future turn, and is removed by the append
 * that writes the turn to the journal. A row that cannot be started stays as failed.
 */
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Accepted } from "../../engine/state/accepted.ts";
import type { Turn, TurnError } from "../../protocol/generated/types.ts";
import type { Fence } from "../../store/leases.ts";
import type { ClaimOutcome, Queue, QueueRow, RowList } from "../../store/queue.ts";
import type { QueuedTurnEnd } from "../../store/queue-log.ts";
import type { LaneHeld } from "../threads/lane.ts";
import { PUBLISHED } from "./queue-limits.ts";
import type { QueueStates } from "./queue-state.ts";
import { mayHaveRows } from "./queue-state.ts";

export interface QueueDispatcher {
  /** Starts the next row if it is due and the thread is idle; null otherwise. */
  drain(held: LaneHeld): Promise<Accepted<Turn> | null>;
  /** Starts the first row or a chosen one, also if it is not due or the queue is paused. */
  start(held: LaneHeld, rowId: string | null): Promise<StartOutcome>;
  /** Notifies clients of the current queue. */
  publishNow(threadId: string): Promise<void>;
}

export type StartOutcome = QueuedStart | { readonly kind: "empty" | "busy" | "notLoaded" | "unknownRow" };

export type QueuedStart = Accepted<Turn> | { readonly kind: "failed"; readonly error: TurnError };

/** The loaded threads of this process, as queues use them. */
export interface QueueThreads {
  /** The fence of a thread; null if it is not loaded here, or not durable yet. */
  fenceOf(threadId: string): Fence | null;
  /** Makes a new thread durable, and returns its fence; null if it is not loaded here. */
  persist(threadId: string): Promise<Fence | null>;
  /** Whether the thread is loaded and a turn can be started in it. */
  isFree(threadId: string): boolean;
  /**
   * The row is removed together with the start of its turn. Never throws: a row whose turn is not accepted is
   * failed.
   */
  start(held: LaneHeld, row: QueueRow, turnId: string): Promise<QueuedStart>;
  /**
   * The ends of the last turns, newest first; null if they cannot be read. A turn without a recorded end counts as
   * interrupted.
   */
  lastTurns(threadId: string, limit: number): Promise<readonly RecordedTurn[] | null>;
}

/** A turn of the journal; one that runs was continued when the thread was loaded. */
export interface RecordedTurn extends FinishedTurn {
  readonly end: QueuedTurnEnd;
  readonly isRunning?: boolean;
}

export interface FinishedTurn {
  readonly turnId: string;
  readonly how: QueuedTurnEnd["how"];
}

export interface QueueDispatcherOptions {
  readonly queue: Queue;
  readonly threads: QueueThreads;
  readonly states: QueueStates;
  readonly log: Logger;
  readonly createId: () => string;
  /** Notifies clients of the current queue. */
  readonly publish: (threadId: string, rows: RowList) => void;
}

export function createQueueDispatcher(options: QueueDispatcherOptions): QueueDispatcher {
  const { queue, threads, states, log, createId, publish } = options;

  /** Starts the turn of a claimed row. */
  async function begin(held: LaneHeld, fence: Fence, row: QueueRow, turnId: string): Promise<QueuedStart> {
    const { threadId } = row;
    const outcome = await threads.start(held, row, turnId);
    try {
      if (outcome.kind === "failed") await ackFailure(fence, row, turnId, outcome.error);
      await publishNow(threadId);
    } catch (error) {
      // The outcome stands: an accepted turn is already in the journal.
      log.error("a queue could not be updated after a claim", { threadId, turnId, error: messageOf(error) });
    }
    return outcome;
  }

  async function ackFailure(fence: Fence, row: QueueRow, turnId: string, error: TurnError): Promise<void> {
    const failed = { kind: "failed", failure: { ...error } } as const;
    const ack = (current: Fence) => queue.ack(current, row.rowId, turnId, failed);
    states.apply(row.threadId, { type: "ackFailed", ack });
    await ackPending(fence);
  }

  async function ackPending(fence: Fence): Promise<void> {
    const { threadId } = fence;
    const state = states.of(threadId);
    if (state.kind !== "unacked") return;
    await state.ack(fence);
    states.apply(threadId, { type: "acked" });
  }

  async function publishNow(threadId: string): Promise<void> {
    publish(threadId, await queue.list(threadId, PUBLISHED));
  }

  return {
    publishNow,
    async drain(held) {
      const threadId = held.check();
      if (states.of(threadId).kind === "waiting") states.apply(threadId, { type: "changed" });
      if (!mayHaveRows(states.of(threadId)) || !threads.isFree(threadId)) return null;
      const fence = await threads.persist(threadId);
      if (fence === null) return null;
      await ackPending(fence);
      const turnId = createId();
      const claim = await queue.claim(fence, turnId);
      if (claim.kind === "later") states.apply(threadId, { type: "deferred", untilMs: claim.notBeforeMs });
      if (claim.kind === "none" && claim.why === "empty") states.apply(threadId, { type: "emptied" });
      if (claim.kind !== "claimed") return null;
      const started = await begin(held, fence, claim.row, turnId);
      return started.kind === "accepted" ? started : null;
    },
    async start(held, wanted) {
      const threadId = held.check();
      const fence = await threads.persist(threadId);
      if (fence === null) return { kind: "notLoaded" };
      const rowId = await queue.find(threadId, wanted);
      if (rowId === null) return { kind: wanted === null ? "empty" : "unknownRow" };
      if (!threads.isFree(threadId)) return { kind: "busy" };
      await ackPending(fence);
      const turnId = createId();
      const claim = await queue.claim(fence, turnId, rowId);
      if (claim.kind !== "claimed") return toStartOutcome(claim);
      states.apply(threadId, { type: "changed" });
      return begin(held, fence, claim.row, turnId);
    },
  };
}

function toStartOutcome(claim: Exclude<ClaimOutcome, { kind: "claimed" }>): StartOutcome {
  if (claim.kind === "none" && claim.why === "unknownRow") return { kind: "unknownRow" };
  // Another process holds the thread, or one of its rows is being started.
  return { kind: claim.kind === "fenced" ? "notLoaded" : "busy" };
}
