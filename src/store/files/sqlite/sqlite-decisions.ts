import type { Clock } from "../../../base/clock.ts";
import {
  type AskedDecision,
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
} from "../../decisions.ts";
import type { Connection } from "./connection.ts";
import { createFencedWrite } from "./lease-table.ts";

const INSERT = `
  INSERT INTO decisions (thread_id, turn_id, item_id, asked_at_ms, subject, decided_at_ms, outcome, decided_by, reason)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`;
const DROP = "DELETE FROM decisions WHERE number <= ?";
const SET_VERDICT = "UPDATE decisions SET decided_at_ms = ?, outcome = ?, decided_by = ?, reason = ?";
const OPEN = "number = ? AND thread_id = ? AND item_id = ? AND asked_at_ms = ? AND outcome IS NULL";
const ANSWER = `UPDATE decisions SET answer = ? WHERE ${OPEN} AND answer IS NULL RETURNING number`;
const ANSWERED = `SELECT answer FROM decisions WHERE ${OPEN}`;
const CLOSE = `${SET_VERDICT} WHERE ${OPEN}`;
const CLOSE_THREAD = `${SET_VERDICT} WHERE thread_id = ? AND outcome IS NULL RETURNING number`;
const LIST = "SELECT * FROM decisions ORDER BY number DESC LIMIT ?";
const LIST_THREAD = "SELECT * FROM decisions WHERE thread_id = ? ORDER BY number DESC LIMIT ?";

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
}

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
  ): Recorded {
    const atMs = clock.now();
    const subject = clipSubject(given.subject);
    const verdict = wanted === null ? null : timed(wanted);
    const request = [threadId, turnId, itemId, atMs, JSON.stringify(subject)];
    const settled = verdict === null ? [null, null, null, null] : toColumns(verdict);
    // In one transaction: if the eviction of old entries fails, the new one must not remain.
    const { number } = connection.prepare(INSERT).get(...request, ...settled) as Pick<Row, "number">;
    if (number > maxEntries) connection.prepare(DROP).run(number - maxEntries);
    return { kind: "kept", decision: { number, threadId, turnId, itemId, atMs, subject, verdict } };
  }

  return {
    record: async (source, request, verdict) => fenced(source, () => add(request, verdict)),
    open: async (source, request) => fenced(source, () => add(request, null)),
    async answer(asked, verdict) {
      const answer = JSON.stringify(timed(verdict));
      const first = connection.write(() => connection.prepare(ANSWER).get(answer, ...keyOf(asked)));
      return { kind: first === undefined ? "late" : "first" };
    },
    close: async (source, asked, given) =>
      fenced(source, () => {
        const found = connection.prepare(ANSWERED).get(...keyOf(asked)) as Pick<Row, "answer"> | undefined;
        if (found === undefined) return { kind: "late" };
        const verdict = found.answer === null ? timed(given) : (JSON.parse(found.answer) as Verdict);
        connection.prepare(CLOSE).run(...toColumns(verdict), ...keyOf(asked));
        return { kind: "closed", verdict };
      }),
    closeUnanswered: async (fence) =>
      fenced(fence, () => {
        const closed = connection
          .prepare(CLOSE_THREAD)
          .all(...toColumns({ ...UNANSWERED, atMs: clock.now() }), fence.threadId);
        return { kind: "closed", count: closed.length };
      }),
    async list({ threadId, limit }) {
      const rows =
        threadId === undefined
          ? connection.prepare(LIST).all(limit)
          : connection.prepare(LIST_THREAD).all(threadId, limit);
      return rows.map((row) => toDecision(row as Row));
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
    verdict: isOpen ? null : { atMs, outcome, by: JSON.parse(by) as Verdict["by"], reason },
  };
}
