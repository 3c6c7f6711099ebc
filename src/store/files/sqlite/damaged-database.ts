/**
 * A database file that SQLite cannot use any more. What it says of threads is made anew from their files; the rest is
 * in no other place, and taken out of it as far as it can be read. The file itself is kept for whoever can read more.
 */
import { existsSync, renameSync, statSync } from "node:fs";
import { messageOf } from "../../../base/errors.ts";
import { copyRows } from "./copy-rows.ts";
import { type Database, openDatabase } from "./driver.ts";
import { migrate, migrations, rollBack, schemaVersion } from "./migrations.ts";
import { moveQueues } from "./move-queues.ts";

/** Tables that are in no file, each with what it is to users. Queues are taken out in their own way. */
const KEPT: Readonly<Record<string, string>> = {
  decisions: "decisions",
  thread_details: "names and details of threads",
  read_states: "read marks",
  receipts: "receipts",
  receipt_keys: "receipts",
  receipt_runs: "receipts",
  continuations: "continuations",
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

export function isNoDatabase(error: unknown): boolean {
  return hasCode(error, "SQLITE_NOTADB", NOT_A_DATABASE);
}

/** Whether SQLite has found the file to be none of its own, or broken. */
export function isUnusable(error: unknown): boolean {
  return isNoDatabase(error) || hasCode(error, "SQLITE_CORRUPT", CORRUPT);
}

/** Whether it is the file that makes a statement fail; one that names what never was there is at fault itself. */
export function isDamage(error: unknown, database: Database): boolean {
  return isUnusable(error) || (MISSING.test(messageOf(causeOf(error))) && findMissing(database) !== null);
}

/** What is wrong with a database, in the words of SQLite; null for nothing. Reads all of it. */
export function findDamage(database: Database): string | null {
  try {
    const { quick_check: said } = database.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
    return said === "ok" ? findMissing(database) : said;
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
    // An older schema has what it had then.
    migrate(whole, migrations.slice(0, schemaVersion(database)), ":memory:");
    const there = new Set(columnsOf(database));
    const missing = columnsOf(whole).find((name) => !there.has(name));
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

/** Where a file is kept. As long as it is there, no other file has its number. */
export function asideOf(file: string, inode: number): string {
  return `${file}.unreadable-${inode}`;
}

/** False where another process has done it. The log belongs to the file, and goes with it. */
export function putAside(file: string, inode: number): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.ino !== inode) return false;
  const aside = asideOf(file, inode);
  renameSync(file, aside);
  for (const end of ["-wal", "-shm"]) if (existsSync(file + end)) renameSync(file + end, aside + end);
  return true;
}

/** Brings over what is in no other place, and says in words what could not be. */
export function salvage(from: Database, to: Database, aside: string): string[] {
  const lost = new Set<string>();
  if (moveWhatWaits(from, to) === "unreadable") lost.add("queued turns");
  try {
    to.prepare("ATTACH DATABASE ? AS damaged").run(aside);
  } catch {
    return [...lost, ...new Set(Object.values(KEPT))];
  }
  try {
    for (const [table, what] of Object.entries(KEPT)) if (!copyTable(to, table)) lost.add(what);
  } finally {
    to.exec("DETACH DATABASE damaged");
  }
  return [...lost];
}

function moveWhatWaits(from: Database, to: Database): "moved" | "unreadable" {
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
