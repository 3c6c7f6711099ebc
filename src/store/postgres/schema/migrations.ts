import type { PostgresMigration } from "./migrate.ts";
import { queueTables } from "./queue-tables.ts";
import { recordTables } from "./record-tables.ts";
import { threadTables } from "./thread-tables.ts";

/** Migrations are only ever appended; each runs once, in order. */
export const postgresMigrations: readonly PostgresMigration[] = [
  { name: "threads", minWriter: 1, sql: threadTables },
  { name: "queues", minWriter: 2, sql: queueTables },
  { name: "records", minWriter: 3, sql: recordTables },
];
