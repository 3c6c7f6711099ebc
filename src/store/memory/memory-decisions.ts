import {
  clipSubject,
  clipVerdict,
  type Decision,
  type DecisionRequest,
  type Decisions,
  MAX_DECISIONS,
  type Recorded,
  unanswered,
  type Verdict,
} from "../decisions.ts";
import type { Leases, WriterFence } from "../leases.ts";
import { fencedBy } from "./memory-leases.ts";

/** Decisions that are forgotten with the memory. */
export interface DecisionList {
  readonly entries: Map<number, Decision>;
  last: number;
}

export function createMemoryDecisions(
  kept: DecisionList,
  leases: Pick<Leases, "confirm">,
  maxEntries = MAX_DECISIONS,
): Decisions {
  const { entries } = kept;

  const fenced = <T>(source: WriterFence, work: () => T) => fencedBy(leases, source, work);

  function add(request: DecisionRequest, verdict: Verdict | null): Recorded {
    kept.last += 1;
    const number = kept.last;
    const settled = verdict === null ? null : clipVerdict(verdict);
    entries.set(number, { ...request, subject: clipSubject(request.subject), number, verdict: settled });
    entries.delete(number - maxEntries);
    return { kind: "kept", number };
  }

  return {
    record: (source, request, verdict) => fenced(source, () => add(request, verdict)),
    open: (source, request) => fenced(source, () => add(request, null)),
    close: (source, number, { threadId, itemId, atMs }, verdict) =>
      fenced(source, () => {
        const entry = entries.get(number);
        const isAsked =
          entry?.verdict === null &&
          entry.threadId === threadId &&
          entry.itemId === itemId &&
          entry.atMs === atMs;
        if (!isAsked) return { kind: "late" };
        entries.set(number, { ...entry, verdict: clipVerdict(verdict) });
        return { kind: "closed" };
      }),
    closeUnanswered: (fence, atMs) =>
      fenced(fence, () => {
        const open = [...entries.values()].filter(
          (entry) => entry.threadId === fence.threadId && entry.verdict === null,
        );
        for (const entry of open) entries.set(entry.number, { ...entry, verdict: unanswered(atMs) });
        return { kind: "closed", count: open.length };
      }),
    list: async ({ threadId, limit }) =>
      [...entries.values()]
        .filter((entry) => threadId === undefined || entry.threadId === threadId)
        .sort((one, other) => other.number - one.number)
        .slice(0, limit),
  };
}
