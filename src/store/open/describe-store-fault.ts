import { databaseOf } from "../files/sqlite/database-file.ts";
import { describeDatabaseFault } from "../files/sqlite/describe-database-fault.ts";
import { describePostgresFault } from "../postgres/connection/database-fault.ts";
import { parseStoreAddress } from "./store-address.ts";

/**
 * Describes a fault of the store's database for an operator, with the next step; null for any other error. It takes an
 * address because a store that fails to open is no object yet.
 */
export function describeStoreFault(where: string, error: unknown): string | null {
  const address = parseStoreAddress(where);
  if (address.kind === "postgres") return describePostgresFault(error);
  return address.kind === "files" ? describeDatabaseFault(error, databaseOf(address.home)) : null;
}
