/** What commands do with the files of a home, past any server. Each refuses an address that is not in files. */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError, messageOf } from "../../base/errors.ts";
import type { Decision, DecisionQuery } from "../decisions.ts";
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

/** Everything that is wrong with the history of a home, mended on demand. */
export async function checkHome({ where, ...options }: HomeCheckOptions): Promise<HistoryCheck> {
  const home = homeInFiles(where, "heddle doctor");
  const tables = openTables(home, options.repair);
  try {
    return await checkHistory({ ...options, home, index: tables.index });
  } finally {
    await tables.close();
  }
}

/** A database that is not there or cannot be opened is told of elsewhere, and the files can be looked at without. */
function openTables(home: string, repair: boolean): SqliteTables {
  try {
    return openSqliteTables(databaseOf(home), { readOnly: !repair });
  } catch {
    return openSqliteTables(":memory:");
  }
}

/** Throws in words when nothing on this machine speaks to SQLite. */
export function checkDriver(): void {
  openDatabase(":memory:").close();
}

/**
 * Throws in words when the database cannot be used. Brings it up to date, and replaces it where it is damaged, only if
 * that is asked for, and says what has become of it.
 */
export function checkDatabase({ where, repair }: Pick<HomeCheckOptions, "where" | "repair">): string[] {
  const home = homeInFiles(where, "heddle doctor");
  const said: string[] = [];
  const onLoss = (what: string) => void said.push(what);
  let connection: Connection;
  try {
    connection = openConnection(databaseOf(home), { readOnly: !repair, onLoss });
  } catch (error) {
    throw isUnusable(error) ? new AppError("store.damaged", messageOf(error)) : error;
  }
  try {
    connection.check(repair);
    return said;
  } finally {
    connection.close();
  }
}

/** Damaged databases that were put aside. */
export function damagedDatabases(home: string): string[] {
  const start = `${basename(databaseOf(home))}.unreadable-`;
  return readdirSync(home)
    .filter((name) => name.startsWith(start) && !/-(?:wal|shm)$/u.test(name))
    .map((name) => join(home, name));
}

/** Decisions as they are on the disk; none where there is no database yet. */
export async function readDecisions(where: string, query: DecisionQuery): Promise<Decision[]> {
  const file = databaseOf(homeInFiles(where, "heddle approvals"));
  if (!existsSync(file)) return [];
  const tables = openSqliteTables(file, { readOnly: true });
  try {
    return await tables.decisions.list(query);
  } finally {
    await tables.close();
  }
}
