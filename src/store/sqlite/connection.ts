/**
 * A database file with its prepared statements. A file that somebody removes or replaces under a running server is
 * noticed before the next use, and opened anew.
 */
import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, messageOf } from "../../base/errors.ts";
import {
  asideOf,
  findDamage,
  isDamage,
  isNoDatabase,
  isUnusable,
  putAside,
  salvage,
} from "./damaged-database.ts";
import { type Database, type OpenOptions, openDatabase, type Statement } from "./driver.ts";
import { isLocked } from "./lock-wait.ts";
import { checkSchema, migrate, migrations, rollBack } from "./migrations.ts";
import { moveQueues } from "./move-queues.ts";

export interface Connection {
  /** Counts how often the file was opened. */
  readonly epoch: number;
  /** The statement of this text; kept for the next time, the oldest of many going first. */
  prepare(sql: string): Statement;
  /** Runs the work alone among all processes, all of it or nothing. */
  write<T>(work: () => T): T;
  /** How long a statement waits for another's lock, with all of this process. */
  setBusyTimeout(ms: number): void;
  /**
   * Whether what has failed can be done again, because the file is damaged and another one has taken its place. Not
   * within `write`.
   */
  replaceDamaged(error: unknown): boolean;
  /** Reads all of it. Throws in words where it is damaged, or replaces it. */
  check(repair: boolean): void;
  close(): void;
}

/** What SQLite calls a database that no file holds. */
const IN_MEMORY = ":memory:";
const BUSY_TIMEOUT_MS = 30_000;
/** A disk that damages one file after the other is not written to without end. */
const MAX_REPLACED = 8;
const MAX_STATEMENTS = 200;

export interface ConnectionOptions extends OpenOptions {
  /** `os` outlives the process, `fsync` the machine. */
  readonly durability?: "os" | "fsync";
  /** How long a statement waits for another's lock once the file is open; half a minute unless given. */
  readonly busyTimeoutMs?: number;
  /** Told when a statement has waited for another's lock in vain. */
  readonly onLocked?: () => void;
  /** Told of what cannot be made anew when the file is lost, in words. */
  readonly onLoss?: (what: string) => void;
}

export function openConnection(file: string, options: ConnectionOptions = {}): Connection {
  const { readOnly = false, durability = "os", onLoss = () => {}, onLocked = () => {} } = options;
  let { busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  const statements = new Map<string, Statement>();
  /** By error: what it has come from. */
  const failedIn = new WeakMap<object, Database>();
  let opened = readOnly ? openUnchanged(file) : open(file, durability, onLoss);
  let epoch = 1;
  let inUse = false;
  let isClosed = false;
  let replaced = 0;
  setBusyTimeout(busyTimeoutMs);

  function current(): Database {
    if (readOnly || inUse || inodeOf(file) === opened.inode) return opened.database;
    // What is left of a removed database would be taken for a part of the new one.
    if (inodeOf(file) === null) for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true });
    // Out of a damaged one everything was taken by whoever has put it aside.
    const wasDamaged = opened.inode !== null && existsSync(asideOf(file, opened.inode));
    openNext((next) => {
      if (!wasDamaged && attempt(() => moveQueues(opened.database, next)) === "unreadable")
        onLoss(`turns that were queued in ${file} before it was removed are lost`);
    });
    return opened.database;
  }

  function openNext(bringOver: (next: Database) => void): void {
    const next = open(file, durability, onLoss);
    try {
      bringOver(next.database);
    } catch (error) {
      next.database.close();
      throw error;
    }
    statements.clear();
    opened.database.close();
    opened = next;
    epoch += 1;
    setBusyTimeout(busyTimeoutMs);
  }

  function setBusyTimeout(ms: number): void {
    busyTimeoutMs = ms;
    if (!isClosed) opened.database.exec(`PRAGMA busy_timeout = ${ms}`);
  }

  function replaceDamaged(error: unknown): boolean {
    if (readOnly || inUse || file === IN_MEMORY || replaced >= MAX_REPLACED) return false;
    const database = failedIn.get(error as object);
    const { inode } = opened;
    if (inode === null || database === undefined || !isDamage(error, database)) return false;
    // Otherwise it has been done, here or by another process, which the next use finds.
    if (database !== opened.database || !putAside(file, inode)) return true;
    replaceWith(inode, messageOf((error as Error).cause));
    return true;
  }

  function replaceWith(inode: number, reason: string): void {
    replaced += 1;
    const aside = asideOf(file, inode);
    const { database } = opened;
    openNext((next) => {
      const lost = salvage(database, next, aside);
      const rest =
        lost.length === 0
          ? "Everything else was recovered"
          : `These could not be recovered: ${lost.join(", ")}`;
      onLoss(
        `${file} is damaged (${reason}), and is kept as ${aside}. The list of threads is made again from their files. ${rest}`,
      );
    });
  }

  function check(repair: boolean): void {
    const reason = findDamage(current());
    const { inode } = opened;
    if (reason === null) return;
    if (!repair || inode === null) throw new AppError("store.damaged", `it is damaged: ${reason}`);
    if (putAside(file, inode)) replaceWith(inode, reason);
  }

  /** Whoever hears of a failure hears of which file. */
  function attempt<T>(work: () => T): T {
    const { database } = opened;
    try {
      return work();
    } catch (error) {
      if (isLocked(error)) onLocked();
      const named = new AppError("store.database", `${file}: ${messageOf(error)}`, { cause: error });
      failedIn.set(named, database);
      throw named;
    }
  }

  function prepare(sql: string): Statement {
    const database = current();
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const [oldest] = statements.keys();
    if (statements.size >= MAX_STATEMENTS && oldest !== undefined) statements.delete(oldest);
    const native = attempt(() => database.prepare(sql));
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
    setBusyTimeout,
    replaceDamaged,
    check,
    close() {
      inUse = true;
      isClosed = true;
      opened.database.close();
    },
  };
}

type Durability = NonNullable<ConnectionOptions["durability"]>;

/** The index can be made anew; what is no database any more is put aside for whoever can read it. */
function open(file: string, durability: Durability, onLoss: (what: string) => void) {
  const inode = inodeOf(file);
  try {
    return openFile(file, durability);
  } catch (error) {
    if (!isUnusable(error)) throw error;
    // Another process may have been faster.
    if (inode !== null && putAside(file, inode)) {
      const what = isNoDatabase(error) ? "is no database" : `is damaged (${messageOf(error)})`;
      const aside = asideOf(file, inode);
      onLoss(`${file} ${what}, and is kept as ${aside}: decisions and queued turns in it are lost`);
    }
    return openFile(file, durability);
  }
}

/** What the log of a database in WAL mode survives. */
const SYNCHRONOUS = { os: "NORMAL", fsync: "FULL" } as const;

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
