import { join } from "node:path";

/** The database file of a home. */
export function databaseOf(home: string): string {
  return join(home, "heddle.sqlite");
}
