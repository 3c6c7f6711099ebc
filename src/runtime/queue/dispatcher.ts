/**
 * Starts the rows of queues: each is claimed under the id that its turn will have, and is gone with the append that
 * puts the turn into the journal. A row that cannot be started stays, failed.
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
import { mayHaveRows } from "./queue-state.ts";
import type { QueueStates } from "./queue-states.ts";

export interface Dispatcher {
  /** Starts the next row, where there is one that is due and the thread is free. */
  drain(held: LaneHeld): Promise<Accepted<Turn> | null>;
  /** Starts the first row or a chosen one, whatever holds it up. */
  start(held: LaneHeld, rowId: string | null): Promise<StartOutcome>;
  /** Notifies clients of the queue as it is now. */
  publishNow(threadId: string): Promise<void>;
}

export type StartOutcome = QueuedStart | { readonly kind: "empty" | "busy" | "notLoaded" | "unknownRow" };

export type QueuedStart = Accepted<Turn> | { readonly kind: "failed"; readonly error: TurnError };

/** The threads of a process, as its queues use them. */
export interface QueueThreads {
  /** The right to write to a thread; null where it is not loaded here, or not durable yet. */
  fenceOf(threadId: string): Fence | null;
  /** Makes a new thread durable, and returns the right to write to it; null where it is not loaded here. */
  persist(threadId: string): Promise<Fence | null>;
  /** Whether it is loaded and a turn can be started in it. */
  isFree(threadId: string): boolean;
  /** The row leaves its queue with the turn's beginning. Never throws: a row whose turn is not accepted has failed. */
  start(held: LaneHeld, row: QueueRow, turnId: string): Promise<QueuedStart>;
  /** How its last turns ended, the newest first; a turn that was cut off with its process was interrupted. */
  lastTurns(
    threadId: string,
    limit: number,
  ): Promise<readonly (EndedTurn & { readonly end: QueuedTurnEnd })[]>;
}

export interface EndedTurn {
  readonly turnId: string;
  readonly how: QueuedTurnEnd["how"];
}

export interface DispatcherOptions {
  readonly queue: Queue;
  readonly threads: QueueThreads;
  readonly states: QueueStates;
  readonly log: Logger;
  readonly createId: () => string;
  /** Notifies clients of the queue as it is now. */
  readonly publish: (threadId: string, rows: RowList) => void;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { queue, threads, states, log, createId, publish } = options;

  /** A claimed row becomes a turn, or fails. */
  async function begin(held: LaneHeld, fence: Fence, row: QueueRow, turnId: string): Promise<QueuedStart> {
    const { threadId } = row;
    const outcome = await threads.start(held, row, turnId);
    try {
      if (outcome.kind === "failed") await ackFailure(fence, row, turnId, outcome.error);
      await publishNow(threadId);
    } catch (error) {
      // An accepted turn begins all the same, for the journal has it.
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
      if (claim.kind !== "claimed") return whyNotStarted(claim);
      states.apply(threadId, { type: "changed" });
      return begin(held, fence, claim.row, turnId);
    },
  };
}

function whyNotStarted(claim: Exclude<ClaimOutcome, { kind: "claimed" }>): StartOutcome {
  if (claim.kind === "none" && claim.why === "unknownRow") return { kind: "unknownRow" };
  // Another process has the thread, or a row of it is being started.
  return { kind: claim.kind === "fenced" ? "notLoaded" : "busy" };
}
