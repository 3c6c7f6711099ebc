import type { Statements } from "../connection/database.ts";

/** Tables with a limit, in which one transaction at a time counts and adds. */
type LimitedTable = "schedule" | "wake_token" | "device" | "pair_code" | "outbox" | "receipt";

/** Lets others read, but not add, until the end of the transaction. */
export async function lockTable({ query }: Statements, table: LimitedTable): Promise<void> {
  await query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
}
