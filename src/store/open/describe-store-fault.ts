import { databaseOf } from "../files/sqlite/database-file.ts";
import { describeDatabaseFault } from "../files/sqlite/describe-database-fault.ts";
import { parseStoreAddress } from "./store-address.ts";

/**
 * What is wrong with what a store keeps things in, in words for whoever can put it right; null for an error of another
 * kind. A store that cannot be opened has no member to ask, so the address is enough.
 */
export function describeStoreFault(where: string, error: unknown): string | null {
  const address = parseStoreAddress(where);
  return address.kind === "files" ? describeDatabaseFault(error, databaseOf(address.home)) : null;
}
