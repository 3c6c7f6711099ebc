import { onTestFinished } from "vitest";
import type { HistoryIndex } from "../index/history-index.ts";
import { openSqliteTables } from "./sqlite-tables.ts";

/** An index in memory, closed with the test. */
export function createMemoryIndex(): HistoryIndex {
  const tables = openSqliteTables(":memory:");
  onTestFinished(() => tables.close());
  return tables.index;
}
