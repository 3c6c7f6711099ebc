import { join } from "node:path";
import type { Store } from "../store.ts";
import { type ConnectionOptions, openConnection } from "./connection.ts";
import { createSqliteDecisions } from "./sqlite-decisions.ts";
import { createSqliteIndex } from "./sqlite-index.ts";

/** The database file of a home. */
export function databaseOf(home: string): string {
  return join(home, "heddle.sqlite");
}

/** The store in one SQLite file, in WAL mode so that readers and the writer do not wait for one another. */
export function openSqliteStore(file: string, options: ConnectionOptions = {}): Store {
  const connection = openConnection(file, options);
  return {
    history: createSqliteIndex(connection),
    decisions: createSqliteDecisions(connection),
    close: async () => connection.close(),
  };
}
