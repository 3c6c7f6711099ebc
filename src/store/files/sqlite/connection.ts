/**
 * A database file with its prepared statements. If the file is removed or replaced while the server runs, the next use
 * detects it and opens the new file.
 */
import { existsSync, rmSync } from "node:fs";
import { AppError, messageOf } from "../../../base/errors.ts";
import { damagedPath, findDamage, isDamage, moveDamagedAside, salvage } from "./damaged-database.ts";
import type { Database, DatabaseOptions, SqlStatement } from "./driver.ts";
import { isLocked } from "./lock-wait.ts";
import { rollBack } from "./migrate.ts";
import { moveQueues } from "./move-queues.ts";
import { moveSchedules } from "./move-schedules.ts";
import {
  BUSY_TIMEOUT_MS,
  type Durability,
  IN_MEMORY,
  inodeOf,
  type OpenFile,
  openForInspection,
  openOrReplace,
} from "./open-file.ts";

export interface Connection {
  readonly file: string;
  /** Counts how often the file was opened. */
  readonly epoch: number;
  /** Prepares a statement, or returns the cached one; the cache is bounded. */
  prepare(sql: string): SqlStatement;
  /** Runs the work in an exclusive transaction. */
  write<T>(work: () => T): T;
  /**
   * Changes with every commit of another connection, in this process or elsewhere. A removed or replaced file is not
   * detected.
   */
  commitMark(): string;
  /** How long a statement blocks this process while another one holds the lock. */
  setBusyTimeout(ms: number): void;
  /** Whether the failed call can be retried, because the file was damaged and has been replaced. Not within `write`. */
  replaceDamaged(error: unknown): boolean;
  /**
   * Reads the whole database. If it is damaged, replaces it with `repair`, else throws an error with a message for
   * users.
   */
  check(repair: boolean): void;
  close(): void;
}

/** Bounds the replacements on a disk that damages every file. */
const MAX_REPLACED = 8;
const MAX_STATEMENTS = 200;

export interface ConnectionOptions extends DatabaseOptions {
  readonly durability?: Durability;
  /** The busy timeout after the file is open; 30 s by default. */
  readonly busyTimeoutMs?: number;
  /** Called when a statement failed because of another process's lock. */
  readonly onLocked?: () => void;
  /** Called with a description of data that was lost with the file. */
  readonly onLoss?: (what: string) => void;
}

export function openConnection(file: string, options: ConnectionOptions = {}): Connection {
  return new SqliteConnection(file, options);
}

/** The methods are bound, so that they can be destructured. */
class SqliteConnection implements Connection {
  readonly file: string;
  readonly #options: ConnectionOptions;
  readonly #statements = new Map<string, SqlStatement>();
  /** SQLite counts the commits of other connections that this one has noticed. */
  #dataVersion: SqlStatement | null = null;
  /** The database in which each error occurred. */
  readonly #failedIn = new WeakMap<object, Database>();
  #opened: OpenFile;
  #busyTimeoutMs: number;
  #epoch = 1;
  #inUse = false;
  #isClosed = false;
  #replaced = 0;

  constructor(file: string, options: ConnectionOptions) {
    const { readOnly = false, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
    this.file = file;
    this.#options = options;
    this.#opened = readOnly ? openForInspection(file) : this.#open();
    this.#busyTimeoutMs = busyTimeoutMs;
    this.setBusyTimeout(busyTimeoutMs);
  }

  get epoch(): number {
    this.#current();
    return this.#epoch;
  }

  readonly prepare = (sql: string): SqlStatement => {
    const database = this.#current();
    const statements = this.#statements;
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const [oldest] = statements.keys();
    if (statements.size >= MAX_STATEMENTS && oldest !== undefined) statements.delete(oldest);
    const native = this.#attempt(() => database.prepare(sql));
    const statement: SqlStatement = {
      run: (...values) => this.#attempt(() => native.run(...values)),
      get: (...values) => this.#attempt(() => native.get(...values)),
      all: (...values) => this.#attempt(() => native.all(...values)),
    };
    statements.set(sql, statement);
    return statement;
  };

  readonly write = <T>(work: () => T): T => {
    const database = this.#current();
    this.#attempt(() => database.exec("BEGIN IMMEDIATE"));
    this.#inUse = true;
    try {
      const result = work();
      this.#attempt(() => database.exec("COMMIT"));
      return result;
    } catch (error) {
      rollBack(database);
      throw error;
    } finally {
      this.#inUse = false;
    }
  };

  readonly commitMark = (): string =>
    this.#attempt(() => {
      this.#dataVersion ??= this.#opened.database.prepare("PRAGMA data_version");
      const [row] = this.#dataVersion.all() as { data_version: number }[];
      return `${this.#epoch}:${row?.data_version}`;
    });

  setBusyTimeout(ms: number): void {
    this.#busyTimeoutMs = ms;
    if (!this.#isClosed) this.#opened.database.exec(`PRAGMA busy_timeout = ${ms}`);
  }

  replaceDamaged(error: unknown): boolean {
    const { readOnly = false } = this.#options;
    if (readOnly || this.#inUse || this.file === IN_MEMORY || this.#replaced >= MAX_REPLACED) return false;
    const database = this.#failedIn.get(error as object);
    const { inode } = this.#opened;
    if (inode === null || database === undefined || !isDamage(error, database)) return false;
    // Otherwise it was already replaced, here or by another process, and the next use opens the new file.
    if (database === this.#opened.database && moveDamagedAside(this.file, inode))
      this.#replaceWith(inode, messageOf((error as Error).cause));
    return true;
  }

  check(repair: boolean): void {
    const reason = findDamage(this.#current());
    const { inode } = this.#opened;
    if (reason === null) return;
    if (!repair || inode === null) throw new AppError("store.damaged", `it is damaged: ${reason}`);
    if (moveDamagedAside(this.file, inode)) this.#replaceWith(inode, reason);
  }

  close(): void {
    this.#inUse = true;
    this.#isClosed = true;
    this.#opened.database.close();
  }

  #open(): OpenFile {
    const { durability = "os" } = this.#options;
    return openOrReplace(this.file, durability, (what) => this.#options.onLoss?.(what));
  }

  /** The database at the path, reopened if the file has changed. */
  #current(): Database {
    const [file, { inode, database }] = [this.file, this.#opened];
    if (this.#options.readOnly === true || this.#inUse || inodeOf(file) === inode) return database;
    // The leftover WAL of a removed database would be applied to the new one.
    if (inodeOf(file) === null) for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true });
    // The process that moved a damaged database aside has already recovered its data.
    const wasDamaged = inode !== null && existsSync(damagedPath(file, inode));
    this.#openNext((next) => {
      if (!wasDamaged && this.#attempt(() => moveQueues(database, next)) === "unreadable")
        this.#options.onLoss?.(`turns that were queued in ${file} before it was removed are lost`);
      if (!wasDamaged && moveSchedules(database, next) === "unreadable")
        this.#options.onLoss?.(`schedules that were in ${file} before it was removed are lost`);
    });
    return this.#opened.database;
  }

  #openNext(bringOver: (next: Database) => void): void {
    const next = this.#open();
    try {
      bringOver(next.database);
    } catch (error) {
      next.database.close();
      throw error;
    }
    this.#statements.clear();
    this.#dataVersion = null;
    this.#opened.database.close();
    this.#opened = next;
    this.#epoch += 1;
    this.setBusyTimeout(this.#busyTimeoutMs);
  }

  #replaceWith(inode: number, reason: string): void {
    this.#replaced += 1;
    const aside = damagedPath(this.file, inode);
    const { database } = this.#opened;
    this.#openNext((next) => {
      const lost = salvage(database, next, aside);
      const rest =
        lost.length === 0
          ? "Everything else was recovered"
          : `These could not be recovered: ${lost.join(", ")}`;
      this.#options.onLoss?.(
        `${this.file} is damaged (${reason}), and is kept as ${aside}. The list of threads is made again from their files. ${rest}`,
      );
    });
  }

  /** Adds the file name to errors, and records the database in which they occurred. */
  #attempt<T>(work: () => T): T {
    const { database } = this.#opened;
    try {
      return work();
    } catch (error) {
      if (isLocked(error)) this.#options.onLocked?.();
      const named = new AppError("store.database", `${this.file}: ${messageOf(error)}`, { cause: error });
      this.#failedIn.set(named, database);
      throw named;
    }
  }
}
