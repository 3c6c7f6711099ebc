import { AppError } from "../../../base/errors.ts";
import type { Database } from "./driver.ts";
import type { Migration } from "./migrations.ts";

/**
 * Migrates a database to the newest schema. The write lock serializes processes that open a new home at once: the
 * second one finds the migration done. Throws for a newer schema.
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

/** Never throws, so that the original error is reported: on a full disk, SQLite itself rolls back first. */
export function rollBack(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // The transaction was already rolled back.
  }
}

/** Throws for a newer schema; does not migrate an older one. */
export function checkSchema(database: Database, steps: readonly Migration[], file: string): void {
  assertKnown(schemaVersion(database), steps, file);
}

export function schemaVersion(database: Database): number {
  return (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}

function assertKnown(version: number, steps: readonly Migration[], file: string): void {
  if (version <= steps.length) return;
  throw new AppError(
    "store.schema",
    `${file} has schema ${version}, and this Heddle knows ${steps.length}: it was written by a newer Heddle. Upgrade this one, or restore a backup of before. Where the file is moved away, threads are found again, but queued turns and recorded decisions stay in it.`,
  );
}
