import { join } from "node:path";
import type { Decisions } from "../decisions.ts";
import type { HistoryIndex } from "../files/index/history-index.ts";
import { type ConnectionOptions, openConnection } from "./connection.ts";
import { createSqliteDecisions } from "./sqlite-decisions.ts";
import { createSqliteIndex } from "./sqlite-index.ts";

/** What a home keeps beside its files. */
export interface SqliteTables {
  readonly index: HistoryIndex;
  readonly decisions: Decisions;
  close(): Promise<void>;
}

export interface TableOptions extends ConnectionOptions {
  /** Whose leases decisions are written under; nobody's unless given. */
  readonly owner?: string;
  readonly maxDecisions?: number;
}

/** The database file of a home. */
export function databaseOf(home: string): string {
  return join(home, "heddle.sqlite");
}

/** One SQLite file, in WAL mode so that readers and the writer do not wait for one another. */
export function openSqliteTables(
  file: string,
  { owner = "", maxDecisions, ...options }: TableOptions = {},
): SqliteTables {
  const connection = openConnection(file, options);
  return {
    index: createSqliteIndex(connection),
    decisions: createSqliteDecisions(connection, owner, maxDecisions),
    close: async () => connection.close(),
  };
}
