/** Maintenance of a home by commands, without a server. Each function throws for an address that is not in files. */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError, messageOf } from "../../base/errors.ts";
import type { DecisionQuery, StoredDecision } from "../decisions.ts";
import { type CheckOptions, checkHistory, type HistoryCheck } from "../files/repair/check-history.ts";
import { type Connection, openConnection } from "../files/sqlite/connection.ts";
import { isUnusable } from "../files/sqlite/damaged-database.ts";
import { databaseOf } from "../files/sqlite/database-file.ts";
import { openDatabase } from "../files/sqlite/driver.ts";
import { openSqliteTables, type SqliteTables } from "../files/sqlite/sqlite-tables.ts";
import { homeInFiles } from "./store-address.ts";

export {
  createSkipTally,
  type ImportOptions,
  type ImportOutcome,
  importTranscript,
  type SkipReason,
} from "../files/import/import-transcript.ts";
export { findTranscripts } from "../files/import/scan-transcript.ts";
export type { FaultReport } from "../files/repair/examine-file.ts";
export { databaseOf, type HistoryCheck };

export interface HomeCheckOptions extends Omit<CheckOptions, "index" | "home"> {
  /** The address of the store. */
  readonly where: string;
}

/** Finds faults in the history of a home, and repairs them if requested. */
export async function checkHome({ where, ...options }: HomeCheckOptions): Promise<HistoryCheck> {
  const home = homeInFiles(where, "heddle doctor");
  const tables = openTables(home, options.repair);
  try {
    return await checkHistory({ ...options, home, index: tables.index });
  } finally {
    await tables.close();
  }
}

/** A missing or unreadable database is reported by `checkDatabase`; the files can be checked with an empty index. */
function openTables(home: string, repair: boolean): SqliteTables {
  try {
    return openSqliteTables(databaseOf(home), { readOnly: !repair });
  } catch {
    return openSqliteTables(":memory:");
  }
}

/** Throws an error with a message for users if no SQLite driver is available. */
export function checkDriver(): void {
  openDatabase(":memory:").close();
}

/**
 * Throws an error with a message for users if the database is unusable. With `repair`, migrates it and replaces a
 * damaged one, and returns a description of what was lost.
 */
export function checkDatabase({ where, repair }: Pick<HomeCheckOptions, "where" | "repair">): string[] {
  const home = homeInFiles(where, "heddle doctor");
  const losses: string[] = [];
  const onLoss = (what: string) => void losses.push(what);
  let connection: Connection;
  try {
    connection = openConnection(databaseOf(home), { readOnly: !repair, onLoss });
  } catch (error) {
    throw isUnusable(error) ? new AppError("store.damaged", messageOf(error)) : error;
  }
  try {
    connection.check(repair);
    return losses;
  } finally {
    connection.close();
  }
}

/** Damaged databases that were moved aside. */
export function damagedDatabases(home: string): string[] {
  const start = `${basename(databaseOf(home))}.unreadable-`;
  return readdirSync(home)
    .filter((name) => name.startsWith(start) && !/-(?:wal|shm)$/u.test(name))
    .map((name) => join(home, name));
}

/** Stored decisions; empty if there is no database yet. */
export async function readDecisions(where: string, query: DecisionQuery): Promise<StoredDecision[]> {
  const file = databaseOf(homeInFiles(where, "heddle approvals"));
  if (!existsSync(file)) return [];
  const tables = openSqliteTables(file, { readOnly: true });
  try {
    return await tables.decisions.list(query);
  } finally {
    await tables.close();
  }
}
