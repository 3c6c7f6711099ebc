/** Opens a database file, for use or for inspection only. */
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { damagedPath, isNotDatabase, isUnusable, moveDamagedAside } from "./damaged-database.ts";
import { type Database, openDatabase } from "./driver.ts";
import { checkSchema, migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";

/** SQLite's name for a database in memory. */
export const IN_MEMORY = ":memory:";
/** How long opening blocks this process while another one holds the lock. */
export const BUSY_TIMEOUT_MS = 30_000;

/** `os`: writes survive the process; `fsync`: they survive the machine. */
export type Durability = "os" | "fsync";

export interface OpenFile {
  readonly database: Database;
  /** Null for a database in memory. */
  readonly inode: number | null;
}

/**
 * Opens a database, and replaces an unusable one: its file is moved aside for manual recovery, and the index is
 * rebuilt.
 */
export function openOrReplace(
  file: string,
  durability: Durability,
  onLoss: (what: string) => void,
): OpenFile {
  const inode = inodeOf(file);
  try {
    return openFile(file, durability);
  } catch (error) {
    if (!isUnusable(error)) throw error;
    // Another process may have replaced it first.
    if (inode !== null && moveDamagedAside(file, inode)) {
      const what = isNotDatabase(error) ? "is no database" : `is damaged (${messageOf(error)})`;
      const aside = damagedPath(file, inode);
      onLoss(`${file} ${what}, and is kept as ${aside}: decisions and queued turns in it are lost`);
    }
    return openFile(file, durability);
  }
}

/** The sync mode of the WAL for each durability. */
const SYNCHRONOUS = { os: "NORMAL", fsync: "FULL" } as const;

function openFile(file: string, durability: Durability): OpenFile {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = openDatabase(file);
  // Only the owner may read conversations; the files beside it inherit its mode.
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

/** Opens a database for inspection: it is neither created nor migrated nor replaced. */
export function openForInspection(file: string): OpenFile {
  if (inodeOf(file) === null) throw new Error("there is none");
  // Opening a database at rest creates auxiliary files, and only a connection with write access removes them again. If
  // they exist already, write access could checkpoint their content into the database.
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

export function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}
