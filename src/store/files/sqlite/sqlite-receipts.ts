/** Lifecycle receipts in SQLite: numbered in order, and begun only once, even with several processes. */
import type { Clock } from "../../../base/clock.ts";
import { findGaps, type SequenceGap } from "../../../lifecycle/receipts/gaps.ts";
import {
  type BeginOutcome,
  type Intent,
  type KeptReceipt,
  type NewReceipt,
  RECEIPTS_PER_PAGE,
  type ReceiptLedger,
  type ReceiptQuery,
  type ReceiptScope,
  type RecordOutcome,
} from "../../../lifecycle/receipts/ledger.ts";
import { numbered, sameContent, scopeOf } from "../../../lifecycle/receipts/receipt-content.ts";
import type { LifecycleResult } from "../../../lifecycle/vocabulary/result.ts";
import type { LifecycleReceipt } from "../../../lifecycle/wire/receipt.ts";
import { type KeyRow, MAX_RECEIPTS, RECEIPT_POLL_MS, RESERVATION_TTL_MS } from "../../rows/receipt-rows.ts";
import type { Connection } from "./connection.ts";

const OF_KEY = "client_id = ? AND adapter_id = ? AND idempotency_key = ?";
const KEY = `SELECT fingerprint, receipt_id, expires_at_ms FROM receipt_keys WHERE ${OF_KEY}`;
const SET_KEY = `
  INSERT INTO receipt_keys (client_id, adapter_id, idempotency_key, fingerprint, receipt_id, expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    fingerprint = COALESCE(fingerprint, excluded.fingerprint),
    receipt_id = excluded.receipt_id,
    expires_at_ms = excluded.expires_at_ms`;
const DELETE_ABANDONED = "DELETE FROM receipt_keys WHERE expires_at_ms < ?";
const RECEIPT = "SELECT body, result FROM receipts WHERE receipt_id = ?";
const RUN = "SELECT given, dropped FROM receipt_runs WHERE run_id = ?";
const LAST = "SELECT MAX(sequence) AS last FROM receipts WHERE run_id = ?";
const SET_RUN = `
  INSERT INTO receipt_runs (run_id, given) VALUES (?, ?)
  ON CONFLICT DO UPDATE SET given = excluded.given`;
const ADD =
  "INSERT INTO receipts (receipt_id, run_id, sequence, client_id, body, result) VALUES (?, ?, ?, ?, ?, ?)";
const OLDEST = `
  DELETE FROM receipts WHERE number <= (SELECT MAX(number) FROM receipts) - ? RETURNING receipt_id, run_id, sequence`;
const DROP_KEY = "DELETE FROM receipt_keys WHERE receipt_id = ? AND expires_at_ms IS NULL";
const DROP_FROM_RUN = "UPDATE receipt_runs SET dropped = MAX(dropped, ?) WHERE run_id = ?";
// Deletes a run without remaining receipts, because the number of sessions is unbounded.
const DROP_RUN = `
  DELETE FROM receipt_runs WHERE run_id = ? AND NOT EXISTS (SELECT 1 FROM receipts WHERE receipts.run_id = receipt_runs.run_id)`;
const SEQUENCES = "SELECT sequence FROM receipts WHERE run_id = ?";

type Writing = Pick<Connection, "prepare" | "write">;

export function createSqliteReceipts(
  connection: Writing,
  clock: Clock,
  maxReceipts = MAX_RECEIPTS,
): ReceiptLedger {
  const { prepare, write } = connection;
  const keys = createKeys(prepare);
  const runs = createRuns(prepare);
  const waiting = createWaiting(clock);

  function record(receipt: NewReceipt, fingerprint: string | null, result?: LifecycleResult): RecordOutcome {
    const scope = scopeOf(receipt);
    const known = scope === null ? null : keys.outcomeUnder(scope, receipt);
    if (known !== null) return known;
    if (keys.receiptOf(receipt.receipt_id) !== null) return { kind: "receipt_id_taken" };
    const { harness_run_id: run = null, receipt_id, client_id } = receipt;
    const { sequence, gap } = run === null ? { sequence: null, gap: null } : runs.next(run);
    const kept = numbered(receipt, sequence);
    const texts = [JSON.stringify(kept), result === undefined ? null : JSON.stringify(result)];
    prepare(ADD).run(receipt_id, run, sequence, client_id, ...texts);
    if (scope !== null) keys.set(scope, { fingerprint, receipt_id, expires_at_ms: null });
    dropOldest(prepare, maxReceipts);
    return { kind: "recorded", receipt: kept, gap };
  }

  return {
    begin: async (intent, nowMs) => write(() => keys.begin(intent, nowMs)),
    async record(receipt, fingerprint, result) {
      const outcome = write(() => record(receipt, fingerprint, result));
      waiting.wake();
      return outcome;
    },
    find: async (scope) => keys.find(scope),
    async list(query = {}) {
      const { sql, values } = pageOf(query);
      const rows = prepare(sql).all(...values) as { readonly body: string }[];
      return rows.map(({ body }) => JSON.parse(body) as LifecycleReceipt);
    },
    gaps: async (runId) => runs.gaps(runId),
    async settled(scope, signal) {
      for (; !signal.aborted; await waiting.forChange(signal)) {
        if (!keys.isPending(scope)) return keys.find(scope);
      }
      return null;
    },
  };
}

/** The reservations and receipts of idempotency keys. */
function createKeys(prepare: Connection["prepare"]) {
  const rowOf = (scope: ReceiptScope) => prepare(KEY).get(...partsOf(scope)) as KeyRow | undefined;

  function receiptOf(id: string): KeptReceipt | null {
    const row = prepare(RECEIPT).get(id) as
      | { readonly body: string; readonly result: string | null }
      | undefined;
    if (row === undefined) return null;
    const receipt = JSON.parse(row.body) as LifecycleReceipt;
    return row.result === null ? { receipt } : { receipt, result: JSON.parse(row.result) as LifecycleResult };
  }

  function set(scope: ReceiptScope, { fingerprint, receipt_id, expires_at_ms }: KeyRow): void {
    prepare(SET_KEY).run(...partsOf(scope), fingerprint, receipt_id, expires_at_ms);
  }

  return {
    receiptOf,
    set,
    begin(intent: Intent, nowMs: number): BeginOutcome {
      const row = rowOf(intent);
      if (row === undefined) {
        prepare(DELETE_ABANDONED).run(nowMs - RESERVATION_TTL_MS);
        set(intent, intent);
        return { kind: "begun" };
      }
      if (row.fingerprint !== null && row.fingerprint !== intent.fingerprint)
        return { kind: "conflict", receipt_id: row.receipt_id };
      const kept = row.expires_at_ms === null ? receiptOf(row.receipt_id) : null;
      if (kept !== null) return { kind: "replayed", ...kept };
      if (row.expires_at_ms !== null && nowMs < row.expires_at_ms) return { kind: "pending" };
      set(intent, intent);
      return { kind: "abandoned", receipt_id: row.receipt_id };
    },
    /** The outcome if the key has a receipt or another reservation; null if the receipt may be recorded. */
    outcomeUnder(scope: ReceiptScope, receipt: NewReceipt): RecordOutcome | null {
      const row = rowOf(scope);
      if (row === undefined) return null;
      const { receipt_id, expires_at_ms } = row;
      if (expires_at_ms !== null)
        return receipt_id === receipt.receipt_id ? null : { kind: "conflict", receipt_id };
      const earlier = receiptOf(receipt_id);
      if (earlier === null) return null;
      return sameContent(earlier.receipt, receipt)
        ? { kind: "replayed", ...earlier }
        : { kind: "conflict", receipt_id };
    },
    isPending: (scope: ReceiptScope) => (rowOf(scope)?.expires_at_ms ?? null) !== null,
    find(scope: ReceiptScope): LifecycleReceipt | null {
      const row = rowOf(scope);
      return row === undefined || row.expires_at_ms !== null
        ? null
        : (receiptOf(row.receipt_id)?.receipt ?? null);
    },
  };
}

function dropOldest(prepare: Connection["prepare"], maxReceipts: number): void {
  const dropped = prepare(OLDEST).all(maxReceipts) as readonly {
    readonly receipt_id: string;
    readonly run_id: string | null;
    readonly sequence: number | null;
  }[];
  for (const { receipt_id, run_id, sequence } of dropped) {
    prepare(DROP_KEY).run(receipt_id);
    if (run_id === null) continue;
    prepare(DROP_FROM_RUN).run(sequence, run_id);
    prepare(DROP_RUN).run(run_id);
  }
}

/** The sequence numbers of the receipts of each run. */
function createRuns(prepare: Connection["prepare"]) {
  function runOf(runId: string): { readonly given: number; readonly dropped: number } {
    const row = prepare(RUN).get(runId) as { given: number; dropped: number } | undefined;
    return row ?? { given: 0, dropped: 0 };
  }
  return {
    /** The next sequence number, and the gap before it if receipts are missing. */
    next(runId: string): { readonly sequence: number; readonly gap: SequenceGap | null } {
      const { given, dropped } = runOf(runId);
      const { last } = prepare(LAST).get(runId) as { last: number | null };
      const present = Math.max(last ?? 0, dropped);
      prepare(SET_RUN).run(runId, given + 1);
      const gap = present < given ? { run_id: runId, from: present + 1, to: given } : null;
      return { sequence: given + 1, gap };
    },
    gaps(runId: string): SequenceGap[] {
      const { given, dropped } = runOf(runId);
      const rows = prepare(SEQUENCES).all(runId) as readonly { readonly sequence: number }[];
      const present = rows.map(({ sequence }) => sequence);
      return findGaps(runId, present, given).flatMap((gap) =>
        gap.to > dropped ? [{ ...gap, from: Math.max(gap.from, dropped + 1) }] : [],
      );
    },
  };
}

/** Callers that wait for a receipt. Another process may record it without a notification, so that they poll. */
function createWaiting(clock: Clock) {
  const waiting = new Set<() => void>();
  return {
    wake(): void {
      for (const end of waiting) end();
    },
    /** Resolves when a receipt was recorded here, at the next poll, or on abort. */
    forChange: (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const end = (): void => {
          waiting.delete(end);
          cancel();
          signal.removeEventListener("abort", end);
          resolve();
        };
        const cancel = clock.after(RECEIPT_POLL_MS, end);
        waiting.add(end);
        signal.addEventListener("abort", end, { once: true });
      }),
  };
}

function partsOf({
  client_id,
  adapter_id,
  idempotency_key,
}: ReceiptScope): readonly [string, string, string] {
  return [client_id, adapter_id, idempotency_key];
}

/** Only requested conditions are part of the query, so that each can use its index. */
function pageOf({ runId, clientId, after, limit = RECEIPTS_PER_PAGE }: ReceiptQuery) {
  const conditions = [
    { sql: "run_id = ?", value: runId },
    { sql: "client_id = ?", value: clientId },
    { sql: "number > COALESCE((SELECT number FROM receipts WHERE receipt_id = ?), 0)", value: after },
  ].filter((condition): condition is { sql: string; value: string } => condition.value !== undefined);
  const where = ["TRUE", ...conditions.map(({ sql }) => sql)].join(" AND ");
  return {
    sql: `SELECT body FROM receipts WHERE ${where} ORDER BY number LIMIT ?`,
    values: [...conditions.map(({ value }) => value), Math.max(0, limit)],
  };
}
