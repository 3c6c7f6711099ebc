/** Opens a database file: as it should be, or only to be looked at. */
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { asideOf, isNoDatabase, isUnusable, putAside } from "./damaged-database.ts";
import { type Database, openDatabase } from "./driver.ts";
import { checkSchema, migrate, migrations } from "./migrations.ts";

/** What SQLite calls a database that no file holds. */
export const IN_MEMORY = ":memory:";
/** How long opening waits for another's lock, with all of this process. */
export const BUSY_TIMEOUT_MS = 30_000;

/** `os` outlives the process, `fsync` the machine. */
export type Durability = "os" | "fsync";

export interface OpenFile {
  readonly database: Database;
  /** Null for one that no file holds. */
  readonly inode: number | null;
}

/** The index can be made anew; what is no database any more is put aside for whoever can read it. */
export function openReplacing(
  file: string,
  durability: Durability,
  onLoss: (what: string) => void,
): OpenFile {
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

function openFile(file: string, durability: Durability): OpenFile {
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
export function openUnchanged(file: string): OpenFile {
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

export function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}
