import { clipSubject, clipVerdict } from "../decisions/clip-subject.ts";
import {
  type Decision,
  type DecisionLog,
  MAX_DECISIONS,
  unanswered,
  type Verdict,
} from "../decisions/decision-log.ts";

/** Decisions that are forgotten with the process. */
export function createMemoryDecisions(maxEntries = MAX_DECISIONS): DecisionLog {
  const entries = new Map<number, Decision>();
  let last = 0;

  function add(matter: Parameters<DecisionLog["open"]>[0], verdict: Verdict | null): number {
    last += 1;
    const kept = verdict === null ? null : clipVerdict(verdict);
    entries.set(last, { ...matter, subject: clipSubject(matter.subject), number: last, verdict: kept });
    entries.delete(last - maxEntries);
    return last;
  }

  return {
    record: async (matter, verdict) => void add(matter, verdict),
    open: async (matter) => add(matter, null),
    async close(number, { threadId, itemId, atMs }, verdict) {
      const entry = entries.get(number);
      if (entry?.verdict !== null) return false;
      if (entry.threadId !== threadId || entry.itemId !== itemId || entry.atMs !== atMs) return false;
      entries.set(number, { ...entry, verdict: clipVerdict(verdict) });
      return true;
    },
    async closeUnanswered(threadId, atMs) {
      const open = [...entries.values()].filter(
        (entry) => entry.threadId === threadId && entry.verdict === null,
      );
      for (const entry of open) entries.set(entry.number, { ...entry, verdict: unanswered(atMs) });
      return open.length;
    },
    list: async ({ threadId, limit }) =>
      [...entries.values()]
        .filter((entry) => threadId === undefined || entry.threadId === threadId)
        .sort((one, other) => other.number - one.number)
        .slice(0, limit),
  };
}
