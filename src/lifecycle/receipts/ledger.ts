import type { LifecycleResult } from "../vocabulary/result.ts";
import type { LifecycleReceipt } from "../wire/receipt.ts";
import type { SequenceGap } from "./gaps.ts";

/** The scope of an idempotency key: other clients and adapters may use the same key. */
export interface ReceiptScope {
  readonly client_id: string;
  readonly adapter_id: string;
  readonly idempotency_key: string;
}

/** Records, before the call, that a client is about to be called, so that there is no second call. */
export interface Intent extends ReceiptScope {
  /** The id of the future receipt. */
  readonly receipt_id: string;
  /** The content of the request, as text; see `fingerprintOf`. */
  readonly fingerprint: string;
  /** When the owner is considered dead, in milliseconds since the Unix epoch. */
  readonly expires_at_ms: number;
}

/** The stored outcome of a key: a repeated request gets the same result, including a denial. */
export interface KeptReceipt {
  readonly receipt: LifecycleReceipt;
  readonly result?: LifecycleResult;
}

export type BeginOutcome =
  /** The caller owns the key: it calls the client, then records. */
  | { readonly kind: "begun" }
  /** Another caller owns the key. */
  | { readonly kind: "pending" }
  /**
   * The owner has expired, and the caller owns the key now. It is unknown whether the client was called: the caller
   * records that, and must not call.
   */
  | { readonly kind: "abandoned"; readonly receipt_id: string }
  /** The request was dispatched before, with this outcome. */
  | ({ readonly kind: "replayed" } & KeptReceipt)
  /** Another request was made under the same key. */
  | { readonly kind: "conflict"; readonly receipt_id: string };

export type NewReceipt = Omit<LifecycleReceipt, "sequence">;

export type RecordOutcome =
  | {
      readonly kind: "recorded";
      readonly receipt: LifecycleReceipt;
      /** Earlier numbers of the run whose receipts are missing. */
      readonly gap: SequenceGap | null;
    }
  | ({ readonly kind: "replayed" } & KeptReceipt)
  | { readonly kind: "conflict"; readonly receipt_id: string }
  /** Another receipt has this id. */
  | { readonly kind: "receipt_id_taken" };

export interface ReceiptQuery {
  readonly runId?: string;
  readonly clientId?: string;
  /** The id of the last receipt on the previous page. */
  readonly after?: string;
  readonly limit?: number;
}

/** The default page size. */
export const RECEIPTS_PER_PAGE = 1000;

/**
 * The store of receipts. Each method is atomic with respect to the others. Failures of the storage are exceptions;
 * everything else is a value.
 */
export interface ReceiptLedger {
  begin(intent: Intent, nowMs: number): Promise<BeginOutcome>;
  /**
   * Assigns the next number of the run and stores the receipt, atomically. Under a key with a receipt, equal content is
   * a replay and other content a conflict; under a key that has begun, only its owner may record.
   */
  record(receipt: NewReceipt, fingerprint: string | null, result?: LifecycleResult): Promise<RecordOutcome>;
  /** Resolves when the pending receipt is recorded, or with null when aborted. */
  settled(scope: ReceiptScope, signal: AbortSignal): Promise<LifecycleReceipt | null>;
  find(scope: ReceiptScope): Promise<LifecycleReceipt | null>;
  /** In recording order. */
  list(query?: ReceiptQuery): Promise<readonly LifecycleReceipt[]>;
  /** The numbers of a run whose receipts are missing. */
  gaps(runId: string): Promise<readonly SequenceGap[]>;
}
