import { createRequire, isBuiltin } from "node:module";
import { missingDriver } from "./missing-driver.ts";

/** The part of SQLite that the store uses, as both drivers offer it. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

/** Every method runs the statement to completion, and throws if that fails. */
export interface SqlStatement {
  run(...values: readonly SqlValue[]): unknown;
  /** The first row. All rows are read, so that the statement should return at most one. */
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
}

export type SqlValue = string | number | bigint | null | Uint8Array;

export interface DatabaseOptions {
  /** Changes nothing; the file must exist. */
  readonly readOnly?: boolean;
}

/** A SQLite library. */
export interface Driver {
  readonly name: string;
  /** Whether this Node supports it; a library that may be installed counts as supported. */
  readonly isOffered: boolean;
  open(file: string, options?: DatabaseOptions): Database;
}

const builtIn: Driver = {
  name: "node:sqlite",
  // False for a Node that has the module only behind a flag.
  isOffered: isBuiltin("node:sqlite"),
  open(file, { readOnly = false } = {}) {
    const require = createRequire(import.meta.url);
    const load = () => require("node:sqlite") as { DatabaseSync: NativeDriver<{ readOnly: boolean }> };
    const { DatabaseSync } = withoutWarning(/^SQLite is an experimental feature/u, load);
    return runningToCompletion(new DatabaseSync(file, { readOnly }));
  },
};

/** Suppresses a warning of Node 22 about its SQLite module, which is of no use to users. */
function withoutWarning<T>(unwanted: RegExp, act: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!unwanted.test(String(warning))) emitWarning.call(process, warning, ...rest);
  };
  try {
    return act();
  } finally {
    process.emitWarning = emitWarning;
  }
}

const betterSqlite: Driver = {
  name: "better-sqlite3",
  isOffered: true,
  open(file, { readOnly = false } = {}) {
    const require = createRequire(import.meta.url);
    let BetterSqlite: NativeDriver<BetterSqliteOptions>;
    try {
      BetterSqlite = require("better-sqlite3") as typeof BetterSqlite;
    } catch (error) {
      throw missingDriver(findLibrary(require), error);
    }
    const addon = findAddon(require);
    try {
      return runningToCompletion(new BetterSqlite(file, { readonly: readOnly, ...addon }));
    } catch (error) {
      if (canOpen(BetterSqlite, addon)) throw error;
      throw missingDriver(findLibrary(require), error);
    }
  },
};

interface BetterSqliteOptions {
  readonly readonly?: boolean;
  readonly nativeBinding?: string;
}

/**
 * Whether the library works at all: its native part is loaded with the first database, so that either may be the cause
 * of a failure.
 */
function canOpen(BetterSqlite: NativeDriver<BetterSqliteOptions>, addon: BetterSqliteOptions): boolean {
  try {
    new BetterSqlite(":memory:", addon).close();
    return true;
  } catch {
    return false;
  }
}

function findLibrary(require: NodeJS.Require): string | null {
  try {
    return require.resolve("better-sqlite3");
  } catch {
    return null;
  }
}

/** With an explicit path, the library skips its search for the native part. */
function findAddon(require: NodeJS.Require): BetterSqliteOptions {
  try {
    return { nativeBinding: require.resolve("better-sqlite3/build/Release/better_sqlite3.node") };
  } catch {
    return {};
  }
}

/** In order of preference. */
export const drivers: readonly Driver[] = [builtIn, betterSqlite];

/** Opens a database with the driver for this Node: the built-in one, or better-sqlite3. */
export function openDatabase(file: string, options: DatabaseOptions = {}): Database {
  return (builtIn.isOffered ? builtIn : betterSqlite).open(file, options);
}

interface NativeDatabase {
  exec(sql: string): void;
  prepare(sql: string): Pick<SqlStatement, "run" | "all">;
  close(): void;
}

type NativeDriver<Options> = new (file: string, options: Options) => NativeDatabase;

/**
 * A statement that writes and returns rows is committed after its last row. The drivers' own `get` stops at the first
 * row and does not report a failed commit, for example on a full disk.
 */
function runningToCompletion(database: NativeDatabase): Database {
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        run: (...values) => statement.run(...values),
        get: (...values) => statement.all(...values)[0],
        all: (...values) => statement.all(...values),
      };
    },
    close: () => database.close(),
  };
}
