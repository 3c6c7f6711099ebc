import { AppError } from "../../base/errors.ts";
import type { Database } from "./driver.ts";
import type { Migration } from "./migrations.ts";

/**
 * Brings a database to the newest schema. Two processes that open a new home together are kept apart
 * by the write lock: the second finds the work done. A schema from the future is left alone.
 */
export function migrate(database: Database, steps: readonly Migration[], file: string): void {
  const current = schemaVersion(database);
  if (current === steps.length) return;
  assertKnown(current, steps, file);
  database.exec("BEGIN IMMEDIATE");
  try {
    const locked = schemaVersion(database);
    assertKnown(locked, steps, file);
    for (const { sql } of steps.slice(locked)) database.exec(sql);
    database.exec(`PRAGMA user_version = ${steps.length}`);
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** What goes wrong first is what the caller has to hear: SQLite itself takes a transaction back when the disk is full. */
export function rollBack(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // There is no transaction any more.
  }
}

/** Refuses a schema from the future, without bringing an older one up to date. */
export function checkSchema(database: Database, steps: readonly Migration[], file: string): void {
  assertKnown(schemaVersion(database), steps, file);
}

function schemaVersion(database: Database): number {
  return (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}

function assertKnown(version: number, steps: readonly Migration[], file: string): void {
  if (version <= steps.length) return;
  throw new AppError(
    "store.schema",
    `${file} has schema ${version}, and this Heddle knows ${steps.length}: it was written by a newer Heddle. Upgrade this one, or move the file away to start with a new one.`,
  );
}
