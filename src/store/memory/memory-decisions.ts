import type { Clock } from "../../base/clock.ts";
import {
  type AskedDecision,
  type ClosedDecision,
  clipSubject,
  clipVerdict,
  type Decisions,
  MAX_DECISIONS,
  type NewDecisionRequest,
  type NewVerdict,
  type Recorded,
  type StoredDecision,
  UNANSWERED,
  type Verdict,
} from "../decisions.ts";
import type { Leases, WriterFence } from "../leases.ts";
import { fencedBy } from "./memory-leases.ts";

/** Decisions in memory. */
export interface DecisionList {
  readonly entries: Map<number, StoredDecision>;
  /** The owning tenant, by number. */
  readonly tenants: Map<number, string>;
  /** Answers of decisions that are not closed, by number. */
  readonly answers: Map<number, Verdict>;
  last: number;
}

export interface MemoryDecisionsOptions {
  readonly leases: Pick<Leases, "confirm">;
  readonly clock: Pick<Clock, "now">;
  readonly tenant: string;
}

export function createMemoryDecisions(
  stored: DecisionList,
  { leases, clock, tenant }: MemoryDecisionsOptions,
  maxEntries = MAX_DECISIONS,
): Decisions {
  const { entries, answers, tenants } = stored;

  const fenced = <T>(source: WriterFence, work: () => T) => fencedBy(leases, source, work);

  const timed = (verdict: NewVerdict): Verdict => ({ ...clipVerdict(verdict), atMs: clock.now() });

  function add(request: NewDecisionRequest, verdict: NewVerdict | null): Recorded {
    stored.last += 1;
    const number = stored.last;
    const { threadId, turnId, itemId } = request;
    const decision: StoredDecision = {
      number,
      threadId,
      turnId,
      itemId,
      atMs: clock.now(),
      subject: clipSubject(request.subject),
      verdict: verdict === null ? null : timed(verdict),
    };
    entries.set(number, decision);
    tenants.set(number, tenant);
    for (const each of [entries, tenants, answers]) each.delete(number - maxEntries);
    return { kind: "kept", decision };
  }

  function findOpen({ number, threadId, itemId, atMs }: AskedDecision): StoredDecision | null {
    const entry = entries.get(number);
    const matches =
      entry?.verdict === null &&
      tenants.get(number) === tenant &&
      entry.threadId === threadId &&
      entry.itemId === itemId &&
      entry.atMs === atMs;
    return matches ? entry : null;
  }

  function setVerdict(entry: StoredDecision, verdict: Verdict): void {
    answers.delete(entry.number);
    entries.set(entry.number, { ...entry, verdict });
  }

  return {
    record: (source, request, verdict) => fenced(source, () => add(request, verdict)),
    open: (source, request) => fenced(source, () => add(request, null)),
    async answer(asked, verdict) {
      const entry = findOpen(asked);
      if (entry === null || answers.has(entry.number)) return { kind: "late" };
      answers.set(entry.number, timed(verdict));
      return { kind: "first" };
    },
    close: (source, asked, given) =>
      fenced(source, (): ClosedDecision => {
        const entry = findOpen(asked);
        if (entry === null) return { kind: "late" };
        const verdict = answers.get(entry.number) ?? timed(given);
        setVerdict(entry, verdict);
        return { kind: "closed", verdict };
      }),
    closeUnanswered: (fence) =>
      fenced(fence, () => {
        const open = [...entries.values()].filter(
          (entry) => entry.threadId === fence.threadId && entry.verdict === null,
        );
        for (const entry of open) setVerdict(entry, timed(UNANSWERED));
        return { kind: "closed", count: open.length };
      }),
    list: async ({ threadId, limit }) =>
      [...entries.values()]
        .filter(
          (entry) =>
            tenants.get(entry.number) === tenant && (threadId === undefined || entry.threadId === threadId),
        )
        .sort((one, other) => other.number - one.number)
        .slice(0, limit),
  };
}
