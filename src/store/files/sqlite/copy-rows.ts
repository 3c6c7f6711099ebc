import type { Database } from "./driver.ts";

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
