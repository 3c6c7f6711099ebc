import { createRequire, isBuiltin } from "node:module";
import { missingDriver } from "./missing-driver.ts";

/** The little of SQLite that is needed, in the shape that the drivers share. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** Whatever way it is run, a statement is carried to its end, and throws where that fails. */
export interface Statement {
  run(...values: readonly SqlValue[]): unknown;
  /** The first row. All are read, so the statement should have no more than one. */
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
}

export type SqlValue = string | number | bigint | null | Uint8Array;

export interface OpenOptions {
  /** Changes nothing: the file has to be there. */
  readonly readOnly?: boolean;
}

/** A library that speaks to SQLite. */
export interface Driver {
  readonly name: string;
  /** Whether this Node has it; a library that is to be installed counts as there. */
  readonly isOffered: boolean;
  open(file: string, options?: OpenOptions): Database;
}

const builtIn: Driver = {
  name: "node:sqlite",
  // A Node in which a flag must unlock it does not count it in.
  isOffered: isBuiltin("node:sqlite"),
  open(file, { readOnly = false } = {}) {
    const require = createRequire(import.meta.url);
    const load = () => require("node:sqlite") as { DatabaseSync: NativeDriver<{ readOnly: boolean }> };
    const { DatabaseSync } = withoutWarning(/^SQLite is an experimental feature/u, load);
    return carryingToTheEnd(new DatabaseSync(file, { readOnly }));
  },
};

/** Node 22 warns of its SQLite when it is loaded, which says nothing to the users of a program. */
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
      return carryingToTheEnd(new BetterSqlite(file, { readonly: readOnly, ...addon }));
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

/** Whether the library works at all: its native part is loaded with the first database, so that either may have failed. */
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

/** Told where it is, the library does not go through all the places where it might be. */
function findAddon(require: NodeJS.Require): BetterSqliteOptions {
  try {
    return { nativeBinding: require.resolve("better-sqlite3/build/Release/better_sqlite3.node") };
  } catch {
    return {};
  }
}

/** In the order in which they are preferred. */
export const drivers: readonly Driver[] = [builtIn, betterSqlite];

/** Opens a database file with the driver that fits this Node: the built-in one, or better-sqlite3. */
export function openDatabase(file: string, options: OpenOptions = {}): Database {
  return (builtIn.isOffered ? builtIn : betterSqlite).open(file, options);
}

interface NativeDatabase {
  exec(sql: string): void;
  prepare(sql: string): Pick<Statement, "run" | "all">;
  close(): void;
}

type NativeDriver<Options> = new (file: string, options: Options) => NativeDatabase;

/**
 * A statement that writes and returns rows is committed after its last row. The drivers' own `get` stops at the
 * first one and does not hear that the commit has failed, as it does on a full disk.
 */
function carryingToTheEnd(database: NativeDatabase): Database {
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
