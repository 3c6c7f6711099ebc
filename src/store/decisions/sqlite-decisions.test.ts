import { onTestFinished } from "vitest";
import { openDatabase } from "../sqlite/driver.ts";
import { decisionLogContract } from "./decision-log.contract.ts";
import { decisionsTable } from "./decisions-table.ts";
import { createSqliteDecisions } from "./sqlite-decisions.ts";

decisionLogContract("SQLite", (maxEntries) => {
  const database = openDatabase(":memory:");
  onTestFinished(() => database.close());
  database.exec(decisionsTable.sql);
  return createSqliteDecisions(database, maxEntries);
});
