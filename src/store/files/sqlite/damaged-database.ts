/**
 * Recovery from a damaged database. The index is rebuilt from the rollout files; all other data exists only in the
 * database and is copied as far as it is readable. The damaged file is kept for manual recovery.
 */
import { existsSync, renameSync, statSync } from "node:fs";
import { messageOf } from "../../../base/errors.ts";
import { type Database, openDatabase } from "./driver.ts";
import { migrate, rollBack, schemaVersion } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { moveQueues } from "./move-queues.ts";

/** Tables that cannot be rebuilt, with their description for users. Queues are recovered separately. */
const RECOVERED_TABLES: Readonly<Record<string, string>> = {
  decisions: "decisions",
  thread_details: "names and details of threads",
  read_states: "read marks",
  receipts: "receipts",
  receipt_keys: "receipts",
  receipt_runs: "receipts",
  continuations: "continuations",
  schedules: "schedules",
  schedule_runs: "schedules",
  wake_tokens: "tokens that wake threads",
  outbox: "deliveries of webhooks",
  outbox_endpoints: "states of webhooks",
};

const CORRUPT = 11;
const NOT_A_DATABASE = 26;
const MISSING = /no such (?:table|column)|has no column named/u;

interface SqliteError {
  readonly code?: unknown;
  readonly errcode?: unknown;
}

function causeOf(error: unknown): unknown {
  return (error as { readonly cause?: unknown } | null)?.cause ?? error;
}

function hasCode(error: unknown, name: string, number: number): boolean {
  const { code, errcode } = (causeOf(error) ?? {}) as SqliteError;
  return (
    (typeof code === "string" && code.startsWith(name)) ||
    (typeof errcode === "number" && (errcode & 0xff) === number)
  );
}

export function isNotDatabase(error: unknown): boolean {
  return hasCode(error, "SQLITE_NOTADB", NOT_A_DATABASE);
}

/** Whether SQLite reports that the file is not a database or is corrupt. */
export function isUnusable(error: unknown): boolean {
  return isNotDatabase(error) || hasCode(error, "SQLITE_CORRUPT", CORRUPT);
}

/** Whether the file causes the failure. A statement that names a table that never existed is itself at fault. */
export function isDamage(error: unknown, database: Database): boolean {
  return isUnusable(error) || (MISSING.test(messageOf(causeOf(error))) && findMissing(database) !== null);
}

/** The first fault that SQLite reports, or null. Reads the whole database. */
export function findDamage(database: Database): string | null {
  try {
    const { quick_check: result } = database.prepare("PRAGMA quick_check(1)").get() as {
      quick_check: string;
    };
    return result === "ok" ? findMissing(database) : result;
  } catch (error) {
    if (isUnusable(error)) return messageOf(error);
    throw error;
  }
}

const COLUMNS = `
  SELECT m.name || '.' || c.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) c
  WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`;

function findMissing(database: Database): string | null {
  const whole = openDatabase(":memory:");
  try {
    // An older schema is compared with the tables of its own version.
    migrate(whole, migrations.slice(0, schemaVersion(database)), ":memory:");
    const present = new Set(columnsOf(database));
    const missing = columnsOf(whole).find((name) => !present.has(name));
    return missing === undefined ? null : `there is no ${missing}`;
  } catch (error) {
    return messageOf(error);
  } finally {
    whole.close();
  }
}

function columnsOf(database: Database): string[] {
  return database
    .prepare(COLUMNS)
    .all()
    .map((row) => (row as { name: string }).name);
}

/** The path of a damaged file that was moved aside. While it exists, no other file has its inode. */
export function damagedPath(file: string, inode: number): string {
  return `${file}.unreadable-${inode}`;
}

/** Moves the file aside together with its WAL; false if another process has already done so. */
export function moveDamagedAside(file: string, inode: number): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.ino !== inode) return false;
  const aside = damagedPath(file, inode);
  renameSync(file, aside);
  for (const end of ["-wal", "-shm"]) if (existsSync(file + end)) renameSync(file + end, aside + end);
  return true;
}

/** Copies the data that cannot be rebuilt, and returns descriptions of the lost data. */
export function salvage(from: Database, to: Database, aside: string): string[] {
  const lost = new Set<string>();
  if (recoverQueues(from, to) === "unreadable") lost.add("queued turns");
  try {
    to.prepare("ATTACH DATABASE ? AS damaged").run(aside);
  } catch {
    return [...lost, ...new Set(Object.values(RECOVERED_TABLES))];
  }
  try {
    for (const [table, what] of Object.entries(RECOVERED_TABLES)) if (!copyTable(to, table)) lost.add(what);
  } finally {
    to.exec("DETACH DATABASE damaged");
  }
  return [...lost];
}

function recoverQueues(from: Database, to: Database): "moved" | "unreadable" {
  try {
    return moveQueues(from, to);
  } catch (error) {
    if (isDamage(error, from)) return "unreadable";
    throw error;
  }
}

function copyTable(to: Database, table: string): boolean {
  try {
    to.exec("BEGIN IMMEDIATE");
    copyRows(to, table, { from: "damaged", to: "main" });
    to.exec("COMMIT");
    return true;
  } catch {
    rollBack(to);
    return false;
  }
}

/** Copies a table to the same table of an attached database. Existing rows are not changed. */
export function copyRows(
  database: Database,
  table: string,
  { from, to }: { readonly from: string; readonly to: string },
): void {
  const columns = database
    .prepare("SELECT name FROM pragma_table_info(?, ?)")
    .all(table, to)
    .map((row) => (row as { name: string }).name)
    .join(", ");
  database.exec(`INSERT OR IGNORE INTO ${to}.${table} (${columns}) SELECT ${columns} FROM ${from}.${table}`);
}
