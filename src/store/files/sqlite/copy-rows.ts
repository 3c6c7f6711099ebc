import type { Database } from "./driver.ts";

/** Copies what a table has into the same table of another database that is attached. Rows that are there stay. */
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
