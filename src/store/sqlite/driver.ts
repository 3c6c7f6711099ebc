import { createRequire } from "node:module";
import { AppError } from "../../base/errors.ts";

/** The little of SQLite that is needed, in the shape that the drivers share. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Statement {
  run(...values: readonly SqlValue[]): unknown;
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
}

export type SqlValue = string | number | bigint | null | Uint8Array;

const FIRST_NODE_WITH_SQLITE = 24;

export interface OpenOptions {
  /** Changes nothing: the file has to be there. */
  readonly readOnly?: boolean;
}

/** Opens a database file with the driver that fits this Node: the built-in one, or better-sqlite3. */
export function openDatabase(file: string, { readOnly = false }: OpenOptions = {}): Database {
  const require = createRequire(import.meta.url);
  if (Number(process.versions.node.split(".")[0]) >= FIRST_NODE_WITH_SQLITE) {
    const { DatabaseSync } = require("node:sqlite") as { DatabaseSync: Driver<{ readOnly: boolean }> };
    return new DatabaseSync(file, { readOnly });
  }
  let BetterSqlite: Driver<{ readonly: boolean }>;
  try {
    BetterSqlite = require("better-sqlite3") as typeof BetterSqlite;
  } catch (error) {
    throw new AppError(
      "store.driver",
      "SQLite is not available: better-sqlite3 could not be loaded. Install a C++ compiler and run `npm rebuild better-sqlite3`, or use Node 24 or newer, which has SQLite built in.",
      { cause: error },
    );
  }
  return new BetterSqlite(file, { readonly: readOnly });
}

type Driver<Options> = new (file: string, options: Options) => Database;
