/**
 * Moves schedules, their runs and tokens out of a database that was removed while the server runs, as `move-queues.ts`
 * does with queues: the old database, which the server still has open, is the only place that has them. Records that
 * the new database already has are not replaced.
 */
import type { Database, SqlValue } from "./driver.ts";
import { rollBack } from "./migrate.ts";

const TABLES = ["schedules", "schedule_runs", "wake_tokens"] as const;

type Row = Readonly<Record<string, SqlValue>>;

export function moveSchedules(from: Database, to: Database): "moved" | "unreadable" {
  try {
    from.exec("BEGIN IMMEDIATE");
    const found = TABLES.map((table) => ({ table, rows: readAll(from, table) }));
    insertAll(to, found);
    // Another process that moves later must not restore records that were deleted since.
    for (const table of TABLES) from.exec(`DELETE FROM ${table}`);
    from.exec("COMMIT");
    return "moved";
  } catch {
    rollBack(from);
    return "unreadable";
  }
}

function readAll(from: Database, table: string): readonly Row[] {
  return from.prepare(`SELECT * FROM ${table} ORDER BY number`).all() as Row[];
}

function insertAll(
  to: Database,
  found: readonly { readonly table: string; readonly rows: readonly Row[] }[],
): void {
  if (found.every(({ rows }) => rows.length === 0)) return;
  to.exec("BEGIN IMMEDIATE");
  try {
    for (const { table, rows } of found) for (const row of rows) insert(to, table, row);
    to.exec("COMMIT");
  } catch (error) {
    rollBack(to);
    throw error;
  }
}

/** The number is given anew, because it only orders the records. */
function insert(to: Database, table: string, row: Row): void {
  const columns = Object.keys(row).filter((column) => column !== "number");
  const marks = columns.map(() => "?").join(", ");
  to.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks}) ON CONFLICT DO NOTHING`).run(
    ...columns.map((column) => row[column] ?? null),
  );
}
