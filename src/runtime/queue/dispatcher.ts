/**
 * Starts the rows of queues: each is claimed under the id that its turn will have, and is gone with the append that
 * puts the turn into the journal. A row that cannot be started stays, failed.
 */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Turn, TurnError } from "../../protocol/generated/types.ts";
import type { Fence } from "../../store/leases.ts";
import type { ClaimOutcome, ClaimResult, Queue, QueueRow, RowList } from "../../store/queue.ts";
import type { TurnEnd } from "../../store/queue-log.ts";
import { PUBLISHED } from "./queue-limits.ts";

export interface Dispatcher {
  /** A thread may have rows now; of the others nothing has to be asked when a turn ends. */
  note(threadId: string): void;
  /** Whether a thread may have rows. */
  mayHaveRows(threadId: string): boolean;
  /** Starts what is next, where there is anything and the thread is free. */
  drain(threadId: string): Promise<AcceptedTurn | null>;
  /** Starts the first row or a chosen one, whatever holds it up. */
  start(threadId: string, rowId: string | null): Promise<StartOutcome>;
  /** Tells clients of the queue as it is now. */
  publishNow(threadId: string): Promise<void>;
  /** A thread that is not loaded any more. */
  forget(threadId: string): void;
  close(): void;
}

export interface AcceptedTurn {
  readonly turn: Turn;
  /** Called once whoever asked for it has a response. */
  readonly begin: () => void;
}

export type StartOutcome =
  | ({ readonly kind: "started" } & AcceptedTurn)
  | { readonly kind: "empty" | "busy" | "notLoaded" | "unknownRow" }
  | { readonly kind: "failed"; readonly error: TurnError };

export type QueuedStart =
  | ({ readonly kind: "accepted" } & AcceptedTurn)
  | { readonly kind: "failed"; readonly error: TurnError };

/** What a queue needs of threads. */
export interface QueueThreads {
  /** The right to write to a thread; null where it is not loaded here, or does not last yet. */
  fenceOf(threadId: string): Promise<Fence | null>;
  /** The same for a new thread as well, which lasts from now on. */
  hold(threadId: string): Promise<Fence | null>;
  /** Whether it is loaded and a turn can be started in it. */
  isFree(threadId: string): boolean;
  /** The row leaves its queue with the turn's beginning. Never throws: whatever keeps it from that is why the row fails. */
  start(threadId: string, row: QueueRow, turnId: string): Promise<QueuedStart>;
  hasTurn(threadId: string, turnId: string): Promise<boolean>;
  /** Its last turn; one that was cut off with its process counts as interrupted. Null where there is none. */
  lastTurn(threadId: string): Promise<EndedTurn | null>;
  /** How one of its last turns has ended; null where that is not known. */
  endOf(threadId: string, turnId: string): Promise<TurnEnd | null>;
}

export interface EndedTurn {
  readonly turnId: string;
  readonly how: TurnEnd["how"];
}

export interface DispatcherOptions {
  readonly queue: Queue;
  readonly threads: QueueThreads;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  /** Clients hear of the queue as it is now. */
  readonly publish: (threadId: string, rows: RowList) => void;
  /** A thread has something to start at last; whoever hears it takes the lane and drains. */
  readonly onDue: (threadId: string) => void;
}

const LOOK_AGAIN_MS = 60_000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { queue, threads, clock, log, createId, publish } = options;
  const noted = new Set<string>();
  const timers = new Map<string, () => void>();
  /** Rows whose failure the store could not take so far; nothing else of their threads is started before. */
  const unacked = new Map<string, (fence: Fence) => Promise<unknown>>();

  /** A claimed row becomes a turn, or says why not. */
  async function begin(fence: Fence, row: QueueRow, turnId: string): Promise<StartOutcome> {
    const { threadId, rowId } = row;
    const outcome = await threads.start(threadId, row, turnId);
    const failed = outcome.kind === "failed" ? toFailed(outcome.error) : null;
    if (failed !== null) unacked.set(threadId, (held) => queue.ack(held, rowId, turnId, failed));
    try {
      await ackPending(fence);
      await publishNow(threadId);
    } catch (error) {
      // An accepted turn begins all the same, for the journal has it.
      log.error("a queue could not be published", { threadId, turnId, error: messageOf(error) });
    }
    return outcome.kind === "accepted" ? { ...outcome, kind: "started" } : outcome;
  }

  async function ackPending(fence: Fence): Promise<void> {
    await unacked.get(fence.threadId)?.(fence);
    unacked.delete(fence.threadId);
  }

  async function publishNow(threadId: string): Promise<void> {
    publish(threadId, await queue.list(threadId, PUBLISHED));
  }

  /** Looks at the clock from time to time: it may be set, and timers do not count while a machine sleeps. */
  function waitUntil(threadId: string, timeMs: number): void {
    const delayMs = Math.min(LOOK_AGAIN_MS, Math.max(0, timeMs - clock.now()));
    timers.set(
      threadId,
      clock.after(delayMs, () => options.onDue(threadId), { keepsAlive: false }),
    );
  }

  function stopWaiting(threadId: string): void {
    timers.get(threadId)?.();
    timers.delete(threadId);
  }

  return {
    note: (threadId) => void noted.add(threadId),
    mayHaveRows: (threadId) => noted.has(threadId),
    publishNow,
    async drain(threadId) {
      stopWaiting(threadId);
      if (!noted.has(threadId) || !threads.isFree(threadId)) return null;
      const fence = await threads.hold(threadId);
      if (fence === null) return null;
      await ackPending(fence);
      const turnId = createId();
      const claim = await queue.claim(fence, turnId);
      if (claim.kind === "later") waitUntil(threadId, claim.notBeforeMs);
      if (claim.kind === "none" && claim.why === "empty") noted.delete(threadId);
      if (claim.kind !== "claimed") return null;
      const outcome = await begin(fence, claim.row, turnId);
      return outcome.kind === "started" ? outcome : null;
    },
    async start(threadId, wanted) {
      const fence = await threads.hold(threadId);
      if (fence === null) return { kind: "notLoaded" };
      const rowId = await queue.find(threadId, wanted);
      if (rowId === null) return { kind: wanted === null ? "empty" : "unknownRow" };
      if (!threads.isFree(threadId)) return { kind: "busy" };
      await ackPending(fence);
      const turnId = createId();
      const claim = await queue.claim(fence, turnId, rowId);
      if (claim.kind !== "claimed") return whyNotStarted(claim);
      noted.add(threadId);
      return begin(fence, claim.row, turnId);
    },
    forget(threadId) {
      noted.delete(threadId);
      unacked.delete(threadId);
      stopWaiting(threadId);
    },
    close() {
      for (const threadId of timers.keys()) stopWaiting(threadId);
    },
  };
}

function toFailed(error: TurnError): ClaimResult {
  return { kind: "failed", failure: { ...error } };
}

function whyNotStarted(claim: Exclude<ClaimOutcome, { kind: "claimed" }>): StartOutcome {
  if (claim.kind === "none" && claim.why === "unknownRow") return { kind: "unknownRow" };
  // Another process has the thread, or a row of it is being started.
  return { kind: claim.kind === "fenced" ? "notLoaded" : "busy" };
}
