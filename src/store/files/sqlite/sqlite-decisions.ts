import type { Clock } from "../../../base/clock.ts";
import {
  type AskedDecision,
  type Cause,
  canKeepQuestion,
  clipCause,
  clipSubject,
  clipVerdict,
  type Decisions,
  type KeptQuestion,
  MAX_DECISIONS,
  type NewDecisionRequest,
  type NewVerdict,
  type OpenQuestion,
  overridesAnswer,
  type Recorded,
  type StoredAnswer,
  type StoredDecision,
  UNANSWERED,
  type Verdict,
  withResult,
} from "../../decisions.ts";
import type { Connection } from "./connection.ts";
import { createFencedWrite } from "./lease-table.ts";

const INSERT = `
  INSERT INTO decisions (thread_id, turn_id, item_id, asked_at_ms, subject, decided_at_ms, outcome, decided_by, reason, question, cause)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`;
const DROP = "DELETE FROM decisions WHERE number <= ?";
const SET_VERDICT =
  "UPDATE decisions SET decided_at_ms = ?, outcome = ?, decided_by = ?, reason = ?, question = NULL";
const OPEN = "number = ? AND thread_id = ? AND item_id = ? AND asked_at_ms = ? AND outcome IS NULL";
const ANSWER = `UPDATE decisions SET answer = ? WHERE ${OPEN} AND answer IS NULL RETURNING number`;
const ANSWERED = `SELECT answer FROM decisions WHERE ${OPEN}`;
const CLOSE = `${SET_VERDICT} WHERE ${OPEN}`;
const CLOSE_THREAD = `${SET_VERDICT} WHERE thread_id = ? AND outcome IS NULL AND turn_id IS NOT ? RETURNING number`;
const LIST = "SELECT * FROM decisions WHERE number < ? ORDER BY number DESC LIMIT ?";
const LIST_THREAD = "SELECT * FROM decisions WHERE thread_id = ? AND number < ? ORDER BY number DESC LIMIT ?";
const LIST_TURN = `
  SELECT * FROM decisions WHERE thread_id = ? AND turn_id = ? AND number < ? ORDER BY number DESC LIMIT ?`;
const FIND = "SELECT * FROM decisions WHERE number = ?";
const LIST_OPEN = "SELECT * FROM decisions WHERE outcome IS NULL AND number > ? ORDER BY number LIMIT ?";
const LIST_OPEN_THREAD = `
  SELECT * FROM decisions WHERE thread_id = ? AND outcome IS NULL AND number > ? ORDER BY number LIMIT ?`;

interface Row {
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

/** Greater than every number. */
const END = Number.MAX_SAFE_INTEGER;

/** Decisions in the table `decisions`; each write requires the lease of the thread. */
export function createSqliteDecisions(
  connection: Pick<Connection, "prepare" | "write">,
  { owner, clock }: { readonly owner: string; readonly clock: Pick<Clock, "now"> },
  maxEntries = MAX_DECISIONS,
): Decisions {
  const fenced = createFencedWrite(connection, owner);

  const timed = (verdict: NewVerdict): Verdict => ({ ...clipVerdict(verdict), atMs: clock.now() });

  function add(
    { threadId, turnId, itemId, ...given }: NewDecisionRequest,
    wanted: NewVerdict | null,
    question: KeptQuestion | null = null,
  ): Recorded {
    const atMs = clock.now();
    const subject = clipSubject(given.subject);
    const verdict = wanted === null ? null : timed(wanted);
    const cause = given.cause === undefined ? null : clipCause(given.cause);
    const request = [threadId, turnId, itemId, atMs, JSON.stringify(subject)];
    const settled = verdict === null ? [null, null, null, null] : toColumns(verdict);
    // In one transaction: if the eviction of old entries fails, the new one must not remain.
    const kept = question !== null && canKeepQuestion(question) ? JSON.stringify(question) : null;
    const asked = [kept, cause === null ? null : JSON.stringify(cause)];
    const { number } = connection.prepare(INSERT).get(...request, ...settled, ...asked) as Pick<
      Row,
      "number"
    >;
    if (number > maxEntries) connection.prepare(DROP).run(number - maxEntries);
    return {
      kind: "kept",
      decision: {
        number,
        threadId,
        turnId,
        itemId,
        atMs,
        subject,
        ...(cause !== null && { cause }),
        verdict,
      },
    };
  }

  return {
    record: async (source, request, verdict) => fenced(source, () => add(request, verdict)),
    open: async (source, request, question = null) => fenced(source, () => add(request, null, question)),
    async answer(asked, verdict, result = null) {
      const answer = JSON.stringify({ ...timed(verdict), result });
      const first = connection.write(() => connection.prepare(ANSWER).get(answer, ...keyOf(asked)));
      return { kind: first === undefined ? "late" : "first" };
    },
    close: async (source, asked, given) =>
      fenced(source, () => {
        const found = connection.prepare(ANSWERED).get(...keyOf(asked)) as Pick<Row, "answer"> | undefined;
        if (found === undefined) return { kind: "late" };
        const answer = overridesAnswer(given) ? null : toAnswer(found.answer);
        const verdict = answer ?? timed(given);
        connection.prepare(CLOSE).run(...toColumns(verdict), ...keyOf(asked));
        return withResult({ kind: "closed", verdict: pickVerdict(verdict) }, answer?.result ?? null);
      }),
    closeUnanswered: async (fence, continuedTurnId = null) =>
      fenced(fence, () => {
        const closed = connection
          .prepare(CLOSE_THREAD)
          .all(...toColumns({ ...UNANSWERED, atMs: clock.now() }), fence.threadId, continuedTurnId);
        return { kind: "closed", count: closed.length };
      }),
    ...createQueries(connection),
    async findAnswer(asked) {
      const found = connection.prepare(ANSWERED).get(...keyOf(asked)) as Pick<Row, "answer"> | undefined;
      return toAnswer(found?.answer ?? null);
    },
  };
}

function createQueries(connection: Pick<Connection, "prepare">): Pick<Decisions, "list" | "openQuestions"> {
  return {
    async list({ threadId, turnId, before = END, number, limit }) {
      const query = (): unknown[] => {
        if (number !== undefined) return connection.prepare(FIND).all(number);
        if (threadId === undefined) return connection.prepare(LIST).all(before, limit);
        return turnId === undefined
          ? connection.prepare(LIST_THREAD).all(threadId, before, limit)
          : connection.prepare(LIST_TURN).all(threadId, turnId, before, limit);
      };
      return query().map((row) => toDecision(row as Row));
    },
    async openQuestions({ threadId, after = 0, limit }) {
      const rows =
        threadId === undefined
          ? connection.prepare(LIST_OPEN).all(after, limit)
          : connection.prepare(LIST_OPEN_THREAD).all(threadId, after, limit);
      return rows.map((row) => toOpenQuestion(row as Row));
    },
  };
}

function keyOf({ number, threadId, itemId, atMs }: AskedDecision): [number, string, string, number] {
  return [number, threadId, itemId, atMs];
}

function toColumns(verdict: Verdict): [number, string, string, string | null] {
  const { atMs, outcome, by, reason } = verdict;
  return [atMs, outcome, JSON.stringify(by), reason];
}

function toDecision(row: Row): StoredDecision {
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

function toOpenQuestion(row: Row): OpenQuestion {
  const { verdict: _open, ...asked } = toDecision(row);
  const question = row.question == null ? null : (JSON.parse(row.question) as KeptQuestion);
  return { ...asked, question, answer: toAnswer(row.answer ?? null) };
}

/** Answers of earlier versions have no result. */
function toAnswer(stored: string | null): StoredAnswer | null {
  return stored === null ? null : { result: null, ...(JSON.parse(stored) as Verdict) };
}

function pickVerdict({ atMs, outcome, by, reason }: Verdict): Verdict {
  return { atMs, outcome, by, reason };
}
