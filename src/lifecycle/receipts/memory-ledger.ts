import { sortedJson } from "../text/json.ts";
import type { LifecycleResult } from "../vocabulary/result.ts";
import type { LifecycleReceipt } from "../wire/receipt.ts";
import { findGaps, type SequenceGap } from "./gaps.ts";
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

interface KeyRow {
  fingerprint: string | null;
  result?: LifecycleResult | undefined;
  /** Set until the receipt is recorded. */
  intent: Intent | null;
  receiptId: string | null;
  readonly waiting: Set<(receipt: LifecycleReceipt) => void>;
}

export interface MemoryLedgerOptions {
  /** The limit of stored receipts; the oldest are dropped with their keys. */
  readonly mostReceipts?: number;
}

export interface MemoryLedger extends ReceiptLedger {
  /**
   * Removes a receipt as a damaged file would: its number stays assigned.
   * @internal
   */
  lose(receiptId: string): void;
}

/** A ledger that lasts as long as the process. */
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
    const stored = numbered(receipt, sequence);
    receipts.set(stored.receipt_id, stored);
    if (scope !== null)
      resolveKey(scope, { receipt: stored, ...(result !== undefined && { result }) }, fingerprint);
    dropOldest();
    return { kind: "recorded", receipt: stored, gap };
  };

  const resolveKey = (
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
      return row === undefined || row.intent === null ? find(scope) : whenRecorded(row, signal);
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
  if (receipt !== undefined) return { kind: "replayed", ...storedOutcome(receipt, row) };
  if (row.intent !== null && nowMs < row.intent.expires_at_ms) return { kind: "pending" };
  row.intent = intent;
  return { kind: "abandoned", receipt_id: holder };
}

/** The outcome under a key that has a receipt or another owner; null where the receipt may be recorded. */
function outcomeUnderKey(
  row: KeyRow,
  receipt: NewReceipt,
  receipts: ReadonlyMap<string, LifecycleReceipt>,
): RecordOutcome | null {
  const earlier = row.receiptId === null ? undefined : receipts.get(row.receiptId);
  if (earlier !== undefined)
    return sameContent(earlier, receipt)
      ? { kind: "replayed", ...storedOutcome(earlier, row) }
      : { kind: "conflict", receipt_id: earlier.receipt_id };
  return row.intent !== null && row.intent.receipt_id !== receipt.receipt_id
    ? { kind: "conflict", receipt_id: row.intent.receipt_id }
    : null;
}

function storedOutcome(receipt: LifecycleReceipt, { result }: KeyRow): KeptReceipt {
  return { receipt, ...(result !== undefined && { result }) };
}

function whenRecorded({ waiting }: KeyRow, signal: AbortSignal): Promise<LifecycleReceipt | null> {
  return new Promise((resolve) => {
    const finish = (receipt: LifecycleReceipt | null): void => {
      waiting.delete(finish);
      signal.removeEventListener("abort", onAbort);
      resolve(receipt);
    };
    const onAbort = (): void => finish(null);
    waiting.add(finish);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
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

type Numbered = { readonly harness_run_id?: string; readonly sequence: number | null };

interface RunSequence {
  /** The last assigned number. */
  assigned: number;
  /** The highest number that was evicted, which is not a gap. */
  dropped: number;
  readonly present: Set<number>;
}

/** Assigns the sequence numbers of each run. The least recently active run is evicted. */
function createRunSequences(mostRuns: number) {
  const runs = new Map<string, RunSequence>();
  const runOf = ({ harness_run_id: id }: Numbered): RunSequence | undefined =>
    id === undefined ? undefined : runs.get(id);
  return {
    /** Returns the next number, and the gap directly before it. */
    next(runId: string | undefined): { readonly sequence: number | null; readonly gap: SequenceGap | null } {
      if (runId === undefined) return { sequence: null, gap: null };
      const run: RunSequence = runs.get(runId) ?? { assigned: 0, dropped: 0, present: new Set() };
      let last = run.assigned;
      while (last > run.dropped && !run.present.has(last)) last -= 1;
      const gap = last < run.assigned ? { run_id: runId, from: last + 1, to: run.assigned } : null;
      run.assigned += 1;
      run.present.add(run.assigned);
      runs.delete(runId);
      runs.set(runId, run);
      const [oldest] = runs.keys();
      if (runs.size > mostRuns && oldest !== undefined) runs.delete(oldest);
      return { sequence: run.assigned, gap };
    },
    lose(receipt: Numbered): void {
      if (receipt.sequence !== null) runOf(receipt)?.present.delete(receipt.sequence);
    },
    drop(receipt: Numbered): void {
      const run = runOf(receipt);
      if (run === undefined || receipt.sequence === null) return;
      run.present.delete(receipt.sequence);
      run.dropped = Math.max(run.dropped, receipt.sequence);
    },
    gaps(runId: string): SequenceGap[] {
      const run = runs.get(runId);
      if (run === undefined) return [];
      return findGaps(runId, [...run.present], run.assigned).flatMap((gap) =>
        gap.to > run.dropped ? [{ ...gap, from: Math.max(gap.from, run.dropped + 1) }] : [],
      );
    },
  };
}
