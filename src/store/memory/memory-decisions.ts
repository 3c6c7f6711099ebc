import type { Clock } from "../../base/clock.ts";
import {
  type AskedDecision,
  type ClosedDecision,
  canKeepQuestion,
  clipCause,
  clipSubject,
  clipVerdict,
  type Decisions,
  type KeptQuestion,
  MAX_DECISIONS,
  type NewDecisionRequest,
  type NewVerdict,
  overridesAnswer,
  type Recorded,
  type StoredAnswer,
  type StoredDecision,
  UNANSWERED,
  type Verdict,
  withResult,
} from "../decisions.ts";
import type { Leases, WriterFence } from "../leases.ts";
import { fencedBy } from "./memory-leases.ts";

/** Decisions in memory. */
export interface DecisionList {
  readonly entries: Map<number, StoredDecision>;
  /** The owning tenant, by number. */
  readonly tenants: Map<number, string>;
  /** Answers of decisions that are not closed, by number. */
  readonly answers: Map<number, StoredAnswer>;
  /** The questions of open decisions, by number. */
  readonly questions: Map<number, KeptQuestion>;
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
  const { entries, answers, questions, tenants } = stored;

  const fenced = <T>(source: WriterFence, work: () => T) => fencedBy(leases, source, work);
  const timed = (verdict: NewVerdict): Verdict => ({ ...clipVerdict(verdict), atMs: clock.now() });

  function add(request: NewDecisionRequest, verdict: NewVerdict | null): Recorded {
    stored.last += 1;
    const number = stored.last;
    const decision: StoredDecision = {
      ...request,
      number,
      atMs: clock.now(),
      subject: clipSubject(request.subject),
      ...(request.cause !== undefined && { cause: clipCause(request.cause) }),
      verdict: verdict === null ? null : timed(verdict),
    };
    entries.set(number, decision);
    tenants.set(number, tenant);
    for (const each of [entries, tenants, answers, questions]) each.delete(number - maxEntries);
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
    questions.delete(entry.number);
    entries.set(entry.number, { ...entry, verdict });
  }

  return {
    record: (source, request, verdict) => fenced(source, () => add(request, verdict)),
    open: (source, request, question = null) =>
      fenced(source, () => {
        const added = add(request, null);
        if (added.kind === "kept" && question !== null && canKeepQuestion(question))
          questions.set(added.decision.number, structuredClone(question));
        return added;
      }),
    async answer(asked, verdict, result = null) {
      const entry = findOpen(asked);
      if (entry === null || answers.has(entry.number)) return { kind: "late" };
      answers.set(entry.number, { ...timed(verdict), result });
      return { kind: "first" };
    },
    close: (source, asked, given) =>
      fenced(source, (): ClosedDecision => {
        const entry = findOpen(asked);
        if (entry === null) return { kind: "late" };
        const answer = overridesAnswer(given) ? undefined : answers.get(entry.number);
        const verdict = answer === undefined ? timed(given) : toVerdict(answer);
        setVerdict(entry, verdict);
        return withResult({ kind: "closed", verdict }, answer?.result ?? null);
      }),
    closeUnanswered: (fence, continuedTurnId = null) =>
      fenced(fence, () => {
        const open = [...entries.values()].filter(
          ({ threadId, turnId, verdict }) =>
            threadId === fence.threadId && verdict === null && turnId !== continuedTurnId,
        );
        for (const entry of open) setVerdict(entry, timed(UNANSWERED));
        return { kind: "closed", count: open.length };
      }),
    ...createQueries(stored, tenant),
    async findAnswer(asked) {
      const entry = findOpen(asked);
      return entry === null ? null : (answers.get(entry.number) ?? null);
    },
  };
}

/** The decisions of one tenant. */
function createQueries(
  { entries, answers, questions, tenants }: DecisionList,
  tenant: string,
): Pick<Decisions, "list" | "openQuestions"> {
  const own = (): StoredDecision[] =>
    [...entries.values()].filter(({ number }) => tenants.get(number) === tenant);
  return {
    list: async ({ threadId, turnId, before = Infinity, number, limit }) =>
      own()
        .filter(
          (entry) =>
            entry.number < before &&
            (threadId === undefined || entry.threadId === threadId) &&
            (turnId === undefined || entry.turnId === turnId) &&
            (number === undefined || entry.number === number),
        )
        .sort((one, other) => other.number - one.number)
        .slice(0, limit),
    openQuestions: async ({ threadId, after = 0, limit }) =>
      own()
        .filter(
          ({ number, verdict, ...entry }) =>
            verdict === null && number > after && (threadId === undefined || entry.threadId === threadId),
        )
        .sort((one, other) => one.number - other.number)
        .slice(0, limit)
        .map(({ verdict: _open, ...asked }) => ({
          ...asked,
          question: structuredClone(questions.get(asked.number) ?? null),
          answer: answers.get(asked.number) ?? null,
        })),
  };
}

function toVerdict({ result: _result, ...verdict }: StoredAnswer): Verdict {
  return verdict;
}
