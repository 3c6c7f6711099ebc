import { join } from "node:path";

/** The path of a home's database. */
export function databaseOf(home: string): string {
  return join(home, "heddle.sqlite");
}
