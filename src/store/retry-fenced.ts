/**
 * Writes of facts whose fence may be restored: after a database was replaced, or where another process has held an open
 * thread and released it without a line. `confirm` restores the lease, and the write is tried once more.
 */
import type { Decisions } from "./decisions.ts";
import type { Leases, WriterFence } from "./leases.ts";
import type { Queue } from "./queue.ts";
import type { Waits } from "./waits.ts";

interface FencedPorts {
  readonly decisions: Decisions;
  readonly queue: Queue;
  readonly waits: Waits;
}

export function retryFenced(
  leases: Pick<Leases, "confirm">,
  { decisions, queue, waits }: FencedPorts,
): FencedPorts {
  const withLeaseRetry = createLeaseRetry(leases);
  return {
    decisions: retriedDecisions(decisions, withLeaseRetry),
    queue: retriedQueue(queue, withLeaseRetry),
    waits: retriedWaits(waits, withLeaseRetry),
  };
}

type WithLeaseRetry = <S extends WriterFence, T>(
  source: S,
  write: (source: S) => Promise<T>,
) => Promise<T | { readonly kind: "fenced" }>;

function createLeaseRetry(leases: Pick<Leases, "confirm">): WithLeaseRetry {
  return async (source, write) => {
    const outcome = await write(source);
    if ("ephemeral" in source || !isFenced(outcome)) return outcome;
    const fence = await leases.confirm(source);
    return fence === null ? outcome : write({ ...source, ...fence });
  };
}

function isFenced(outcome: unknown): boolean {
  return typeof outcome === "object" && outcome !== null && "kind" in outcome && outcome.kind === "fenced";
}

function retriedDecisions(decisions: Decisions, withLeaseRetry: WithLeaseRetry): Decisions {
  return {
    record: (source, request, verdict) =>
      withLeaseRetry(source, (held) => decisions.record(held, request, verdict)),
    open: (source, request, question) =>
      withLeaseRetry(source, (held) => decisions.open(held, request, question)),
    answer: (...given) => decisions.answer(...given),
    close: (source, asked, verdict) =>
      withLeaseRetry(source, (held) => decisions.close(held, asked, verdict)),
    closeUnanswered: (fence, continuedTurnId) =>
      withLeaseRetry(fence, (held) => decisions.closeUnanswered(held, continuedTurnId)),
    list: (query) => decisions.list(query),
    openQuestions: (query) => decisions.openQuestions(query),
    findAnswer: (asked) => decisions.findAnswer(asked),
  };
}

function retriedQueue(queue: Queue, withLeaseRetry: WithLeaseRetry): Queue {
  return {
    ...queue,
    claim: (fence, turnId, rowId) => withLeaseRetry(fence, (held) => queue.claim(held, turnId, rowId)),
    ack: (fence, rowId, turnId, outcome) =>
      withLeaseRetry(fence, (held) => queue.ack(held, rowId, turnId, outcome)),
    recover: (fence, ...given) => withLeaseRetry(fence, (held) => queue.recover(held, ...given)),
  };
}

function retriedWaits(waits: Waits, withLeaseRetry: WithLeaseRetry): Waits {
  return {
    ...waits,
    put: (fence, wait) => withLeaseRetry(fence, (held) => waits.put(held, wait)),
    remove: (fence, turnId) => withLeaseRetry(fence, (held) => waits.remove(held, turnId)),
  };
}
