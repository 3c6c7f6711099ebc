/** Lifecycle receipts without the rest of a store, for commands that need nothing else. */
import { type Clock, systemClock } from "../../base/clock.ts";
import type { ContinuationCounter } from "../../lifecycle/dispatch/continuations.ts";
import type { ReceiptLedger } from "../../lifecycle/receipts/ledger.ts";
import { openConnection } from "../files/sqlite/connection.ts";
import { databaseOf } from "../files/sqlite/database-file.ts";
import { createSqliteContinuations } from "../files/sqlite/sqlite-continuations.ts";
import { createSqliteReceipts } from "../files/sqlite/sqlite-receipts.ts";
import { homeInFiles } from "./store-address.ts";

export interface OpenReceipts {
  readonly ledger: ReceiptLedger;
  readonly continuations: ContinuationCounter;
  close(): void;
}

/** Opens a separate database. */
export function openReceipts(
  file: string,
  { readOnly = false, clock = systemClock }: { readonly readOnly?: boolean; readonly clock?: Clock } = {},
): OpenReceipts {
  const connection = openConnection(file, { readOnly });
  return {
    ledger: createSqliteReceipts(connection, clock),
    continuations: createSqliteContinuations(connection),
    close: () => connection.close(),
  };
}

/** The database in which a server at this address stores receipts. */
export function receiptsOf(where: string): string {
  return databaseOf(homeInFiles(where, "heddle lifecycle receipt"));
}
