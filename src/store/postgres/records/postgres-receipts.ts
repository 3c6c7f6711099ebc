/** Lifecycle receipts in PostgreSQL: numbered in order, and begun only once, even with several processes. */
import { type Clock, wait } from "../../../base/clock.ts";
import { findGaps } from "../../../lifecycle/receipts/gaps.ts";
import {
  type BeginOutcome,
  type Intent,
  type KeptReceipt,
  type NewReceipt,
  RECEIPTS_PER_PAGE,
  type ReceiptLedger,
  type ReceiptScope,
  type RecordOutcome,
} from "../../../lifecycle/receipts/ledger.ts";
import { numbered, sameContent, scopeOf } from "../../../lifecycle/receipts/receipt-content.ts";
import type { LifecycleResult } from "../../../lifecycle/vocabulary/result.ts";
import type { LifecycleReceipt } from "../../../lifecycle/wire/receipt.ts";
import { type KeyRow, MAX_RECEIPTS, RECEIPT_POLL_MS, RESERVATION_TTL_MS } from "../../rows/receipt-rows.ts";
import { Conditions } from "../connection/conditions.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import { lockLimit } from "./lock-limit.ts";

const OF_KEY = "client_id = $1 AND adapter_id = $2 AND idempotency_key = $3";
const KEY = `SELECT fingerprint, receipt_id, expires_at_ms FROM receipt_key WHERE ${OF_KEY}`;
const SET_KEY = `
  INSERT INTO receipt_key (client_id, adapter_id, idempotency_key, fingerprint, receipt_id, expires_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (client_id, adapter_id, idempotency_key) DO UPDATE SET
    fingerprint = coalesce(receipt_key.fingerprint, excluded.fingerprint),
    receipt_id = excluded.receipt_id, expires_at_ms = excluded.expires_at_ms`;
const DELETE_ABANDONED = "DELETE FROM receipt_key WHERE expires_at_ms < $1";
const RECEIPT = "SELECT body, result FROM receipt WHERE receipt_id = $1";
const RUN = `
  SELECT given, dropped, (SELECT max(sequence) FROM receipt WHERE run_id = $1) AS last
  FROM receipt_run WHERE run_id = $1`;
const SET_RUN = `
  INSERT INTO receipt_run (run_id, given) VALUES ($1, $2)
  ON CONFLICT (run_id) DO UPDATE SET given = excluded.given`;
const ADD =
  "INSERT INTO receipt (receipt_id, run_id, sequence, client_id, body, result) VALUES ($1, $2, $3, $4, $5, $6) RETURNING number";
const OLDEST = "DELETE FROM receipt WHERE number <= $1 RETURNING receipt_id, run_id, sequence";
const DROP_KEY = "DELETE FROM receipt_key WHERE receipt_id = $1 AND expires_at_ms IS NULL";
const DROP_FROM_RUN = "UPDATE receipt_run SET dropped = greatest(dropped, $2::bigint) WHERE run_id = $1";
// Deletes a run without remaining receipts, because the number of sessions is unbounded.
const DROP_RUN = `
  DELETE FROM receipt_run WHERE run_id = $1 AND NOT EXISTS (SELECT 1 FROM receipt WHERE receipt.run_id = receipt_run.run_id)`;
const SEQUENCES = "SELECT sequence FROM receipt WHERE run_id = $1";

export function createPostgresReceipts(
  database: PostgresDatabase,
  clock: Clock,
  maxReceipts = MAX_RECEIPTS,
): ReceiptLedger {
  /** One writer at a time: the keys and the numbers of runs are read before they are set. */
  const write = <T>(work: (statements: Statements) => Promise<T>): Promise<T> =>
    database.transaction(async (statements) => {
      await lockLimit(statements, "receipts");
      return work(statements);
    });
  return {
    begin: (intent, nowMs) => write((statements) => begin(statements, intent, nowMs)),
    record: (receipt, fingerprint, result) =>
      write((statements) => record(statements, receipt, { fingerprint, result, maxReceipts })),
    find: (scope) => find(database, scope),
    async list({ runId, clientId, after, limit = RECEIPTS_PER_PAGE } = {}) {
      const where = new Conditions();
      where.parts.push("true");
      if (runId !== undefined) where.add((at) => `run_id = ${at}`, runId);
      if (clientId !== undefined) where.add((at) => `client_id = ${at}`, clientId);
      if (after !== undefined)
        where.add(
          (at) => `number > coalesce((SELECT number FROM receipt WHERE receipt_id = ${at}), 0)`,
          after,
        );
      const end = `ORDER BY number LIMIT ${where.value(Math.max(0, limit))}`;
      const sql = `SELECT body FROM receipt WHERE ${where.parts.join(" AND ")} ${end}`;
      const rows = await database.query<{ readonly body: string }>(sql, ...where.values);
      return rows.map(({ body }) => JSON.parse(body) as LifecycleReceipt);
    },
    async gaps(runId) {
      const { given, dropped } = await runOf(database, runId);
      const rows = await database.query<{ readonly sequence: number }>(SEQUENCES, runId);
      const present = rows.map(({ sequence }) => sequence);
      return findGaps(runId, present, given).flatMap((gap) =>
        gap.to > dropped ? [{ ...gap, from: Math.max(gap.from, dropped + 1) }] : [],
      );
    },
    async settled(scope, signal) {
      for (; !signal.aborted; await wait(clock, RECEIPT_POLL_MS, signal)) {
        const row = await keyOf(database, scope);
        if (row === undefined || row.expires_at_ms === null) return find(database, scope);
      }
      return null;
    },
  };
}

const partsOf = ({ client_id, adapter_id, idempotency_key }: ReceiptScope) =>
  [client_id, adapter_id, idempotency_key] as const;

async function keyOf({ query }: Statements, scope: ReceiptScope): Promise<KeyRow | undefined> {
  return (await query<KeyRow>(KEY, ...partsOf(scope)))[0];
}

async function setKey(
  { query }: Statements,
  scope: ReceiptScope,
  { fingerprint, receipt_id, expires_at_ms }: KeyRow,
): Promise<void> {
  await query(SET_KEY, ...partsOf(scope), fingerprint, receipt_id, expires_at_ms);
}

async function receiptOf({ query }: Statements, id: string): Promise<KeptReceipt | null> {
  const [row] = await query<{ readonly body: string; readonly result: string | null }>(RECEIPT, id);
  if (row === undefined) return null;
  const receipt = JSON.parse(row.body) as LifecycleReceipt;
  return row.result === null ? { receipt } : { receipt, result: JSON.parse(row.result) as LifecycleResult };
}

async function find(statements: Statements, scope: ReceiptScope): Promise<LifecycleReceipt | null> {
  const row = await keyOf(statements, scope);
  const isRecorded = row !== undefined && row.expires_at_ms === null;
  return isRecorded ? ((await receiptOf(statements, row.receipt_id))?.receipt ?? null) : null;
}

async function begin(statements: Statements, intent: Intent, nowMs: number): Promise<BeginOutcome> {
  const row = await keyOf(statements, intent);
  if (row === undefined) {
    await statements.query(DELETE_ABANDONED, nowMs - RESERVATION_TTL_MS);
    await setKey(statements, intent, intent);
    return { kind: "begun" };
  }
  if (row.fingerprint !== null && row.fingerprint !== intent.fingerprint)
    return { kind: "conflict", receipt_id: row.receipt_id };
  const kept = row.expires_at_ms === null ? await receiptOf(statements, row.receipt_id) : null;
  if (kept !== null) return { kind: "replayed", ...kept };
  if (row.expires_at_ms !== null && nowMs < row.expires_at_ms) return { kind: "pending" };
  await setKey(statements, intent, intent);
  return { kind: "abandoned", receipt_id: row.receipt_id };
}

interface RecordParts {
  readonly fingerprint: string | null;
  readonly result: LifecycleResult | undefined;
  readonly maxReceipts: number;
}

async function record(
  statements: Statements,
  receipt: NewReceipt,
  { fingerprint, result, maxReceipts }: RecordParts,
): Promise<RecordOutcome> {
  const scope = scopeOf(receipt);
  const known = scope === null ? null : await outcomeUnder(statements, scope, receipt);
  if (known !== null) return known;
  const { harness_run_id: run = null, receipt_id, client_id } = receipt;
  if ((await receiptOf(statements, receipt_id)) !== null) return { kind: "receipt_id_taken" };
  const { sequence, gap } = run === null ? { sequence: null, gap: null } : await nextOf(statements, run);
  const kept = numbered(receipt, sequence);
  const texts = [JSON.stringify(kept), result === undefined ? null : JSON.stringify(result)];
  const values = [receipt_id, run, sequence, client_id, ...texts];
  const [added] = await statements.query<{ readonly number: number }>(ADD, ...values);
  if (scope !== null) await setKey(statements, scope, { fingerprint, receipt_id, expires_at_ms: null });
  await dropOldest(statements, (added?.number ?? 0) - maxReceipts);
  return { kind: "recorded", receipt: kept, gap };
}

/** The outcome if the key has a receipt or another reservation; null if the receipt may be recorded. */
async function outcomeUnder(
  statements: Statements,
  scope: ReceiptScope,
  receipt: NewReceipt,
): Promise<RecordOutcome | null> {
  const row = await keyOf(statements, scope);
  if (row === undefined) return null;
  const { receipt_id, expires_at_ms } = row;
  if (expires_at_ms !== null)
    return receipt_id === receipt.receipt_id ? null : { kind: "conflict", receipt_id };
  const earlier = await receiptOf(statements, receipt_id);
  if (earlier === null) return null;
  return sameContent(earlier.receipt, receipt)
    ? { kind: "replayed", ...earlier }
    : { kind: "conflict", receipt_id };
}

interface RunRow {
  readonly given: number;
  readonly dropped: number;
  readonly last: number | null;
}

async function runOf({ query }: Statements, runId: string): Promise<RunRow> {
  return (await query<RunRow>(RUN, runId))[0] ?? { given: 0, dropped: 0, last: null };
}

/** The next sequence number of a run, and the gap before it if receipts are missing. */
async function nextOf(statements: Statements, runId: string) {
  const { given, dropped, last } = await runOf(statements, runId);
  const present = Math.max(last ?? 0, dropped);
  await statements.query(SET_RUN, runId, given + 1);
  const gap = present < given ? { run_id: runId, from: present + 1, to: given } : null;
  return { sequence: given + 1, gap };
}

async function dropOldest({ query }: Statements, upTo: number): Promise<void> {
  if (upTo <= 0) return;
  const dropped = await query<{
    readonly receipt_id: string;
    readonly run_id: string | null;
    readonly sequence: number | null;
  }>(OLDEST, upTo);
  for (const { receipt_id, run_id, sequence } of dropped) {
    await query(DROP_KEY, receipt_id);
    if (run_id === null) continue;
    await query(DROP_FROM_RUN, run_id, sequence);
    await query(DROP_RUN, run_id);
  }
}
