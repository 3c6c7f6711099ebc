/** Recorded decisions of one tenant in PostgreSQL; each write requires the lease of the thread. */
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
import { Conditions } from "../connection/conditions.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import type { FencedTransaction } from "../leases/fenced.ts";

const INSERT = `
  INSERT INTO decision (tenant, thread_id, turn_id, item_id, asked_at_ms, subject, decided_at_ms, outcome, decided_by,
    reason, question, cause)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING number`;
// A number that was never used counts as well, so that this is one look at the index.
const DROP = "DELETE FROM decision WHERE number <= $1";
const OPEN = `
  tenant = $1 AND number = $2 AND thread_id = $3 AND item_id = $4 AND asked_at_ms = $5 AND outcome IS NULL`;
const ANSWER = `UPDATE decision SET answer = $6 WHERE ${OPEN} AND answer IS NULL RETURNING number`;
const ANSWERED = `SELECT answer FROM decision WHERE ${OPEN}`;
const CLOSE = `
  UPDATE decision SET decided_at_ms = $6, outcome = $7, decided_by = $8, reason = $9, question = NULL WHERE ${OPEN}`;
const CLOSE_THREAD = `
  UPDATE decision SET decided_at_ms = $3, outcome = $4, decided_by = $5, reason = $6, question = NULL
  WHERE thread_id = $1 AND outcome IS NULL AND turn_id IS DISTINCT FROM $2 RETURNING number`;

/** Greater than every number. */
const END = Number.MAX_SAFE_INTEGER;

export interface PostgresDecisionsOptions {
  readonly database: PostgresDatabase;
  readonly fenced: FencedTransaction;
  readonly tenant: string;
  readonly maxDecisions?: number | undefined;
}

export function createPostgresDecisions(options: PostgresDecisionsOptions): Decisions {
  const { database, fenced, tenant } = options;
  const { time } = database;
  const timed = (verdict: NewVerdict): Verdict => ({ ...clipVerdict(verdict), atMs: time.now() });
  const answerOf = async ({ query }: Statements, asked: Parameters<Decisions["findAnswer"]>[0]) =>
    (await query<Pick<DecisionRow, "answer">>(ANSWERED, tenant, ...askedKey(asked)))[0];

  return {
    record: (source, request, verdict) =>
      fenced(source, (statements) => add(options, statements, request, { verdict: timed(verdict) })),
    open: (source, request, question = null) =>
      fenced(source, (statements) => add(options, statements, request, { verdict: null, question })),
    async answer(asked, verdict, result = null) {
      const answer = JSON.stringify({ ...timed(verdict), result });
      const first = await database.transaction(({ query }) =>
        query(ANSWER, tenant, ...askedKey(asked), answer),
      );
      return { kind: first.length > 0 ? "first" : "late" };
    },
    close: (source, asked, given) =>
      fenced(source, async (statements) => {
        const found = await answerOf(statements, asked);
        if (found === undefined) return { kind: "late" };
        const answer = overridesAnswer(given) ? null : toAnswer(found.answer);
        const verdict = answer ?? timed(given);
        await statements.query(CLOSE, tenant, ...askedKey(asked), ...toColumns(verdict));
        return withResult({ kind: "closed", verdict: pickVerdict(verdict) }, answer?.result ?? null);
      }),
    closeUnanswered: (fence, continuedTurnId = null) =>
      fenced(fence, async ({ query }) => {
        const columns = toColumns({ ...UNANSWERED, atMs: time.now() });
        const closed = await query(CLOSE_THREAD, fence.threadId, continuedTurnId, ...columns);
        return { kind: "closed", count: closed.length };
      }),
    ...createQueries(options),
    findAnswer: async (asked) => toAnswer((await answerOf(database, asked))?.answer ?? null),
  };
}

async function add(
  { database, tenant, maxDecisions = MAX_DECISIONS }: PostgresDecisionsOptions,
  { query }: Statements,
  { threadId, turnId, itemId, ...given }: NewDecisionRequest,
  { verdict, question = null }: { readonly verdict: Verdict | null; readonly question?: KeptQuestion | null },
): Promise<Recorded> {
  const atMs = database.time.now();
  const subject = clipSubject(given.subject);
  const cause = given.cause === undefined ? null : clipCause(given.cause);
  const settled = verdict === null ? [null, null, null, null] : toColumns(verdict);
  const kept = question !== null && canKeepQuestion(question) ? JSON.stringify(question) : null;
  const request = [tenant, threadId, turnId, itemId, atMs, JSON.stringify(subject)];
  const asked = [kept, cause === null ? null : JSON.stringify(cause)];
  const [added] = await query<Pick<DecisionRow, "number">>(INSERT, ...request, ...settled, ...asked);
  const number = added?.number ?? 0;
  if (number > maxDecisions) await query(DROP, number - maxDecisions);
  const ids = { number, threadId, turnId, itemId };
  return { kind: "kept", decision: { ...ids, atMs, subject, ...(cause !== null && { cause }), verdict } };
}

function createQueries({
  database,
  tenant,
}: PostgresDecisionsOptions): Pick<Decisions, "list" | "openQuestions"> {
  return {
    async list({ threadId, turnId, before = END, number, limit }) {
      const where = new Conditions();
      where.add((at) => `tenant = ${at}`, tenant);
      where.add((at) => `number < ${at}`, before);
      if (number !== undefined) where.add((at) => `number = ${at}`, number);
      if (threadId !== undefined) where.add((at) => `thread_id = ${at}`, threadId);
      if (turnId !== undefined) where.add((at) => `turn_id = ${at}`, turnId);
      const conditions = where.parts.join(" AND ");
      const text = `SELECT * FROM decision WHERE ${conditions} ORDER BY number DESC LIMIT ${where.value(limit)}`;
      return (await database.query<DecisionRow>(text, ...where.values)).map(toStoredDecision);
    },
    async openQuestions({ threadId, after = 0, limit }) {
      const where = new Conditions();
      where.parts.push("outcome IS NULL");
      where.add((at) => `tenant = ${at}`, tenant);
      where.add((at) => `number > ${at}`, after);
      if (threadId !== undefined) where.add((at) => `thread_id = ${at}`, threadId);
      const conditions = where.parts.join(" AND ");
      const text = `SELECT * FROM decision WHERE ${conditions} ORDER BY number LIMIT ${where.value(limit)}`;
      return (await database.query<DecisionRow>(text, ...where.values)).map(toOpenQuestion);
    },
  };
}
