import { sortedJson } from "../text/json.ts";
import type { LifecycleResult } from "../vocabulary/result.ts";
import type { LifecycleReceipt } from "../wire/receipt.ts";
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
} from "./ledger.ts";
import { numbered, sameContent, scopeOf } from "./receipt-content.ts";
import { createRunSequences } from "./run-sequences.ts";

interface KeyRow {
  fingerprint: string | null;
  result?: LifecycleResult | undefined;
  /** While nobody has recorded what became of it. */
  intent: Intent | null;
  receiptId: string | null;
  readonly waiting: Set<(receipt: LifecycleReceipt) => void>;
}

export interface MemoryLedgerOptions {
  /** The most receipts that are kept; the oldest go, and their keys with them. */
  readonly mostReceipts?: number;
}

export interface MemoryLedger extends ReceiptLedger {
  /**
   * Loses a receipt as a damaged file would: its number stays given away.
   * @internal
   */
  lose(receiptId: string): void;
}

/** Receipts for as long as the process lives. */
export function createMemoryLedger({ mostReceipts = 10_000 }: MemoryLedgerOptions = {}): MemoryLedger {
  const receipts = new Map<string, LifecycleReceipt>();
  const keys = new Map<string, KeyRow>();
  const runs = createRunSequences(mostReceipts);

  const begin = (intent: Intent, nowMs: number): BeginOutcome => {
    const row = keys.get(keyOf(intent));
    if (row !== undefined) return beginAgain(row, intent, nowMs, receipts);
    const { fingerprint } = intent;
    keys.set(keyOf(intent), { fingerprint, intent, receiptId: null, waiting: new Set() });
    return { kind: "begun" };
  };

  const record = (
    receipt: NewReceipt,
    fingerprint: string | null,
    result: LifecycleResult | undefined,
  ): RecordOutcome => {
    const scope = scopeOf(receipt);
    const row = scope === null ? undefined : keys.get(keyOf(scope));
    const known = row === undefined ? null : outcomeUnderKey(row, receipt, receipts);
    if (known !== null) return known;
    if (receipts.has(receipt.receipt_id)) return { kind: "receipt_id_taken" };
    const { sequence, gap } = runs.next(receipt.harness_run_id);
    const kept = numbered(receipt, sequence);
    receipts.set(kept.receipt_id, kept);
    if (scope !== null)
      settle(scope, { receipt: kept, ...(result !== undefined && { result }) }, fingerprint);
    dropOldest();
    return { kind: "recorded", receipt: kept, gap };
  };

  const settle = (
    scope: ReceiptScope,
    { receipt, result }: KeptReceipt,
    fingerprint: string | null,
  ): void => {
    const row = keys.get(keyOf(scope));
    const asked = row?.fingerprint ?? fingerprint;
    const receiptId = receipt.receipt_id;
    keys.set(keyOf(scope), { fingerprint: asked, result, intent: null, receiptId, waiting: new Set() });
    for (const resolve of row?.waiting ?? []) resolve(receipt);
  };

  const dropOldest = (): void => {
    const [oldest] = receipts.values();
    if (oldest === undefined || receipts.size <= mostReceipts) return;
    receipts.delete(oldest.receipt_id);
    runs.drop(oldest);
    const scope = scopeOf(oldest);
    if (scope !== null) keys.delete(keyOf(scope));
  };

  const find = (scope: ReceiptScope): LifecycleReceipt | null => {
    const id = keys.get(keyOf(scope))?.receiptId ?? null;
    return id === null ? null : (receipts.get(id) ?? null);
  };

  return {
    begin: async (intent, nowMs) => begin(intent, nowMs),
    record: async (receipt, fingerprint, result) => record(receipt, fingerprint, result),
    find: async (scope) => find(scope),
    list: async (query) => page([...receipts.values()], query),
    gaps: async (runId) => runs.gaps(runId),
    async settled(scope, signal) {
      const row = keys.get(keyOf(scope));
      return row === undefined || row.intent === null ? find(scope) : settledRow(row, signal);
    },
    lose(receiptId) {
      const receipt = receipts.get(receiptId);
      receipts.delete(receiptId);
      if (receipt !== undefined) runs.lose(receipt);
    },
  };
}

function beginAgain(
  row: KeyRow,
  intent: Intent,
  nowMs: number,
  receipts: ReadonlyMap<string, LifecycleReceipt>,
): BeginOutcome {
  const holder = row.receiptId ?? row.intent?.receipt_id ?? "";
  if (row.fingerprint !== null && row.fingerprint !== intent.fingerprint)
    return { kind: "conflict", receipt_id: holder };
  const receipt = row.receiptId === null ? undefined : receipts.get(row.receiptId);
  if (receipt !== undefined) return { kind: "replayed", ...keptOf(receipt, row) };
  if (row.intent !== null && nowMs < row.intent.expires_at_ms) return { kind: "pending" };
  row.intent = intent;
  return { kind: "abandoned", receipt_id: holder };
}

/** What to answer under a key that somebody else has, or null if it is free to be recorded. */
function outcomeUnderKey(
  row: KeyRow,
  receipt: NewReceipt,
  receipts: ReadonlyMap<string, LifecycleReceipt>,
): RecordOutcome | null {
  const earlier = row.receiptId === null ? undefined : receipts.get(row.receiptId);
  if (earlier !== undefined)
    return sameContent(earlier, receipt)
      ? { kind: "replayed", ...keptOf(earlier, row) }
      : { kind: "conflict", receipt_id: earlier.receipt_id };
  return row.intent !== null && row.intent.receipt_id !== receipt.receipt_id
    ? { kind: "conflict", receipt_id: row.intent.receipt_id }
    : null;
}

function keptOf(receipt: LifecycleReceipt, { result }: KeyRow): KeptReceipt {
  return { receipt, ...(result !== undefined && { result }) };
}

function settledRow({ waiting }: KeyRow, signal: AbortSignal): Promise<LifecycleReceipt | null> {
  return new Promise((resolve) => {
    const settle = (receipt: LifecycleReceipt | null): void => {
      waiting.delete(settle);
      signal.removeEventListener("abort", giveUp);
      resolve(receipt);
    };
    const giveUp = (): void => settle(null);
    waiting.add(settle);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}

function keyOf({ client_id, adapter_id, idempotency_key }: ReceiptScope): string {
  return sortedJson([client_id, adapter_id, idempotency_key]);
}

function page(receipts: readonly LifecycleReceipt[], query: ReceiptQuery = {}): LifecycleReceipt[] {
  const matching = receipts.filter(
    ({ harness_run_id: run, client_id: client }) =>
      (query.runId === undefined || run === query.runId) &&
      (query.clientId === undefined || client === query.clientId),
  );
  const start =
    query.after === undefined ? 0 : matching.findIndex(({ receipt_id: id }) => id === query.after) + 1;
  return matching.slice(start, start + (query.limit ?? RECEIPTS_PER_PAGE));
}
