import type { LifecycleResult } from "../vocabulary/result.ts";
import type { LifecycleReceipt } from "../wire/receipt.ts";
import type { SequenceGap } from "./gaps.ts";

/** What a key belongs to: other clients and other adapters may use the same one. */
export interface ReceiptScope {
  readonly client_id: string;
  readonly adapter_id: string;
  readonly idempotency_key: string;
}

/** That somebody is about to call a client. It is kept before the call, so that no second one is made. */
export interface Intent extends ReceiptScope {
  /** The id that the receipt will have. */
  readonly receipt_id: string;
  /** What was asked, as text: see `fingerprintOf`. */
  readonly fingerprint: string;
  /** When whoever began it can be taken for dead. Milliseconds since the Unix epoch. */
  readonly expires_at_ms: number;
}

/** What is kept under a key: who asks again must hear the same, also that something is denied. */
export interface KeptReceipt {
  readonly receipt: LifecycleReceipt;
  readonly result?: LifecycleResult;
}

export type BeginOutcome =
  /** It is yours: call the client, then record. */
  | { readonly kind: "begun" }
  /** Somebody else is at it. */
  | { readonly kind: "pending" }
  /**
   * Somebody else was at it and is not expected any more. It is yours, and nobody knows whether the client was called:
   * record that, do not call.
   */
  | { readonly kind: "abandoned"; readonly receipt_id: string }
  /** It was asked before, and this became of it. */
  | ({ readonly kind: "replayed" } & KeptReceipt)
  /** Something else was asked under the same key. */
  | { readonly kind: "conflict"; readonly receipt_id: string };

export type NewReceipt = Omit<LifecycleReceipt, "sequence">;

export type RecordOutcome =
  | {
      readonly kind: "recorded";
      readonly receipt: LifecycleReceipt;
      /** Numbers of its run that were given away before and whose receipts are not there. */
      readonly gap: SequenceGap | null;
    }
  | ({ readonly kind: "replayed" } & KeptReceipt)
  | { readonly kind: "conflict"; readonly receipt_id: string }
  /** Another receipt has this id. */
  | { readonly kind: "receipt_id_taken" };

export interface ReceiptQuery {
  readonly runId?: string;
  readonly clientId?: string;
  /** The id of the last receipt of the page before. */
  readonly after?: string;
  readonly limit?: number;
}

/** How many receipts a page has unless told. */
export const RECEIPTS_PER_PAGE = 1000;

/**
 * Where receipts are kept. Each method is one step: of two that come at once, one sees what the other did. A failure of
 * the storage is an exception; everything else is a value.
 */
export interface ReceiptLedger {
  begin(intent: Intent, nowMs: number): Promise<BeginOutcome>;
  /**
   * Gives the receipt the next number of its run and keeps it, both or neither. Under a key that has a receipt, equal
   * content is a replay and other content a conflict; under one that is begun, only who began it may record.
   */
  record(receipt: NewReceipt, fingerprint: string | null, result?: LifecycleResult): Promise<RecordOutcome>;
  /** Resolves when what was pending has its receipt, or with null when aborted. */
  settled(scope: ReceiptScope, signal: AbortSignal): Promise<LifecycleReceipt | null>;
  find(scope: ReceiptScope): Promise<LifecycleReceipt | null>;
  /** In the order in which they were recorded. */
  list(query?: ReceiptQuery): Promise<readonly LifecycleReceipt[]>;
  /** Numbers of a run whose receipts are not there. */
  gaps(runId: string): Promise<readonly SequenceGap[]>;
}
