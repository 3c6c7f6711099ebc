/** Rows of decisions, as databases have them. */
import type {
  AskedDecision,
  Cause,
  KeptQuestion,
  OpenQuestion,
  StoredAnswer,
  StoredDecision,
  Verdict,
} from "../decisions.ts";

export interface DecisionRow {
  readonly number: number;
  readonly thread_id: string;
  readonly turn_id: string;
  readonly item_id: string;
  readonly asked_at_ms: number;
  readonly subject: string;
  readonly decided_at_ms: number | null;
  readonly outcome: Verdict["outcome"] | null;
  readonly decided_by: string | null;
  readonly reason: string | null;
  /** The answer to an open decision, as JSON. */
  readonly answer: string | null;
  /** The question of an open decision, as JSON. */
  readonly question: string | null;
  /** Why it was asked, as JSON. */
  readonly cause: string | null;
}

export function askedKey({
  number,
  threadId,
  itemId,
  atMs,
}: AskedDecision): [number, string, string, number] {
  return [number, threadId, itemId, atMs];
}

export function toColumns(verdict: Verdict): [number, string, string, string | null] {
  const { atMs, outcome, by, reason } = verdict;
  return [atMs, outcome, JSON.stringify(by), reason];
}

export function toStoredDecision(row: DecisionRow): StoredDecision {
  const { decided_at_ms: atMs, outcome, decided_by: by, reason } = row;
  const isOpen = atMs === null || outcome === null || by === null;
  return {
    number: row.number,
    threadId: row.thread_id,
    turnId: row.turn_id,
    itemId: row.item_id,
    atMs: row.asked_at_ms,
    subject: JSON.parse(row.subject) as StoredDecision["subject"],
    ...(row.cause != null && { cause: JSON.parse(row.cause) as Cause }),
    verdict: isOpen ? null : { atMs, outcome, by: JSON.parse(by) as Verdict["by"], reason },
  };
}

export function toOpenQuestion(row: DecisionRow): OpenQuestion {
  const { verdict: _open, ...asked } = toStoredDecision(row);
  const question = row.question == null ? null : (JSON.parse(row.question) as KeptQuestion);
  return { ...asked, question, answer: toAnswer(row.answer ?? null) };
}

/** Answers of earlier versions have no result. */
export function toAnswer(stored: string | null): StoredAnswer | null {
  return stored === null ? null : { result: null, ...(JSON.parse(stored) as Verdict) };
}

export function pickVerdict({ atMs, outcome, by, reason }: Verdict): Verdict {
  return { atMs, outcome, by, reason };
}
