import type { Statements } from "../connection/database.ts";

/** Records with a limit: one transaction at a time counts and adds them. */
type Limited = "schedules" | "wakeTokens" | "devices" | "pairCodes" | "outbox" | "receipts";

const LOCK = "SELECT 1 FROM limit_lock WHERE name = $1 FOR UPDATE";

/**
 * Makes other transactions with the same limit wait until the end of this one. A lock on the table would also keep the
 * server from cleaning it up.
 */
export async function lockLimit({ query }: Statements, limited: Limited): Promise<void> {
  await query(LOCK, limited);
}
