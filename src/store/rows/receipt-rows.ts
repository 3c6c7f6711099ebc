/** The keys of receipts in a database, and the bounds of a ledger. */

/** Beyond it the oldest are dropped. */
export const MAX_RECEIPTS = 100_000;
/** Abandoned reservations are deleted after this time. */
export const RESERVATION_TTL_MS = 7 * 24 * 60 * 60 * 1000;
/** Poll interval for receipts that another process records. */
export const RECEIPT_POLL_MS = 50;

export interface KeyRow {
  readonly fingerprint: string | null;
  /** The id of the recorded or the expected receipt. */
  readonly receipt_id: string;
  /** Null once the receipt is recorded. */
  readonly expires_at_ms: number | null;
}
