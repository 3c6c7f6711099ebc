/**
 * A database file with its prepared statements. A file that somebody removes or replaces under a running server is
 * noticed before the next use, and opened anew.
 */
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, messageOf } from "../../base/errors.ts";
import { type Database, type OpenOptions, openDatabase, type Statement } from "./driver.ts";
import { checkSchema, migrate, migrations, rollBack } from "./migrations.ts";
import { moveQueues } from "./move-queues.ts";

export interface Connection {
  /** Counts how often the file was opened. */
  readonly epoch: number;
  /** The statement of this text; kept for the next time, the oldest of many going first. */
  prepare(sql: string): Statement;
  /** Runs the work alone among all processes, all of it or nothing. */
  write<T>(work: () => T): T;
  close(): void;
}

/** What SQLite calls a database that no file holds. */
const IN_MEMORY = ":memory:";
const BUSY_TIMEOUT_MS = 30_000;
const MAX_STATEMENTS = 200;

export interface ConnectionOptions extends OpenOptions {
  /** `os` outlives the process, `fsync` the machine. */
  readonly durability?: "os" | "fsync";
  /** Told of what cannot be made anew when the file is lost, in words. */
  readonly onLoss?: (what: string) => void;
}

export function openConnection(file: string, options: ConnectionOptions = {}): Connection {
  const { readOnly = false, durability = "os", onLoss = () => {} } = options;
  const statements = new Map<string, Statement>();
  const attempt = naming(file);
  let opened = readOnly ? openUnchanged(file) : open(file, durability, onLoss);
  let epoch = 1;
  let inUse = false;

  function current(): Database {
    if (readOnly || inUse || inodeOf(file) === opened.inode) return opened.database;
    // What is left of a removed database would be taken for a part of the new one.
    if (inodeOf(file) === null) for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true });
    const next = open(file, durability, onLoss);
    try {
      const outcome = attempt(() => moveQueues(opened.database, next.database));
      if (outcome === "unreadable")
        onLoss(`turns that were queued in ${file} before it was removed are lost`);
    } catch (error) {
      next.database.close();
      throw error;
    }
    statements.clear();
    opened.database.close();
    opened = next;
    epoch += 1;
    return opened.database;
  }

  function prepare(sql: string): Statement {
    const database = current();
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const [oldest] = statements.keys();
    if (statements.size >= MAX_STATEMENTS && oldest !== undefined) statements.delete(oldest);
    const native = database.prepare(sql);
    const statement: Statement = {
      run: (...values) => attempt(() => native.run(...values)),
      get: (...values) => attempt(() => native.get(...values)),
      all: (...values) => attempt(() => native.all(...values)),
    };
    statements.set(sql, statement);
    return statement;
  }

  return {
    get epoch() {
      current();
      return epoch;
    },
    prepare,
    write(work) {
      const database = current();
      attempt(() => database.exec("BEGIN IMMEDIATE"));
      inUse = true;
      try {
        const result = work();
        attempt(() => database.exec("COMMIT"));
        return result;
      } catch (error) {
        rollBack(database);
        throw error;
      } finally {
        inUse = false;
      }
    },
    close() {
      inUse = true;
      opened.database.close();
    },
  };
}

/** Whoever hears of a failure hears of which file. */
function naming(file: string): <T>(work: () => T) => T {
  return (work) => {
    try {
      return work();
    } catch (error) {
      throw new AppError("store.database", `${file}: ${messageOf(error)}`, { cause: error });
    }
  };
}

type Durability = NonNullable<ConnectionOptions["durability"]>;

/** The index can be made anew; what is no database any more is put aside for whoever can read it. */
function open(file: string, durability: Durability, onLoss: (what: string) => void) {
  const inode = inodeOf(file);
  try {
    return openFile(file, durability);
  } catch (error) {
    // Another process may have been faster.
    if (!isNoDatabase(error)) throw error;
    if (inode !== null && inodeOf(file) === inode) {
      const aside = `${file}.unreadable-${inode}`;
      putAside(file, aside);
      onLoss(`${file} is no database, and is kept as ${aside}: decisions and queued turns in it are lost`);
    }
    return openFile(file, durability);
  }
}

/** What the log of a database in WAL mode survives. */
const SYNCHRONOUS = { os: "NORMAL", fsync: "FULL" } as const;

const NOT_A_DATABASE = 26;

function isNoDatabase(error: unknown): boolean {
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  return code === "SQLITE_NOTADB" || errcode === NOT_A_DATABASE;
}

function putAside(file: string, aside: string): void {
  for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true });
  renameSync(file, aside);
}

function openFile(file: string, durability: Durability) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = openDatabase(file);
  // Only its owner may read what was said; the files beside it take over its mode.
  if (file !== IN_MEMORY) chmodSync(file, 0o600);
  try {
    database.exec(
      `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${SYNCHRONOUS[durability]};`,
    );
    migrate(database, migrations, file);
  } catch (error) {
    database.close();
    throw error;
  }
  return { database, inode: inodeOf(file) };
}

/** To be looked at only: it is neither made nor migrated nor put aside. */
function openUnchanged(file: string) {
  if (inodeOf(file) === null) throw new Error("there is none");
  // Of a database at rest, only who may write takes the files away again that every use makes beside it. Where they
  // are there already, who may write could move their contents into the database.
  const readOnly = existsSync(`${file}-wal`);
  const database = openDatabase(file, { readOnly });
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA query_only = ON;`);
    checkSchema(database, migrations, file);
  } catch (error) {
    database.close();
    throw error;
  }
  return { database, inode: inodeOf(file) };
}

function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}
