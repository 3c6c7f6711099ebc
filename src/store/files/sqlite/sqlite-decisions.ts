import type { Clock } from "../../../base/clock.ts";
import {
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
  UNANSWERED,
  type Verdict,
  withResult,
} from "../../decisions.ts";
import {
  askedKey,
  type DecisionRow,
  pickVerdict,
  toAnswer,
  toColumns,
  toOpenQuestion,
  toStoredDecision,
} from "../../rows/decision-rows.ts";
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
      DecisionRow,
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
      const first = connection.write(() => connection.prepare(ANSWER).get(answer, ...askedKey(asked)));
      return { kind: first === undefined ? "late" : "first" };
    },
    close: async (source, asked, given) =>
      fenced(source, () => {
        const found = connection.prepare(ANSWERED).get(...askedKey(asked)) as
          | Pick<DecisionRow, "answer">
          | undefined;
        if (found === undefined) return { kind: "late" };
        const answer = overridesAnswer(given) ? null : toAnswer(found.answer);
        const verdict = answer ?? timed(given);
        connection.prepare(CLOSE).run(...toColumns(verdict), ...askedKey(asked));
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
      const found = connection.prepare(ANSWERED).get(...askedKey(asked)) as
        | Pick<DecisionRow, "answer">
        | undefined;
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
      return query().map((row) => toStoredDecision(row as DecisionRow));
    },
    async openQuestions({ threadId, after = 0, limit }) {
      const rows =
        threadId === undefined
          ? connection.prepare(LIST_OPEN).all(after, limit)
          : connection.prepare(LIST_OPEN_THREAD).all(threadId, after, limit);
      return rows.map((row) => toOpenQuestion(row as DecisionRow));
    },
  };
}
