import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { historyIndexContract } from "../history-index.contract.ts";
import { storeContract, threadRecord } from "../store.contract.ts";
import { openDatabase } from "./driver.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { openSqliteStore } from "./sqlite-store.ts";

function databaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "home", "heddle.sqlite");
}

storeContract("SQLite", async () => openSqliteStore(databaseFile()));
historyIndexContract("SQLite", async () => {
  const store = openSqliteStore(databaseFile());
  onTestFinished(() => store.close());
  return store.history;
});

test("what was stored is there when the file is opened again", async () => {
  const file = databaseFile();
  const first = openSqliteStore(file);
  await first.threads.put(threadRecord("a"));
  await first.close();
  const second = openSqliteStore(file);
  onTestFinished(() => second.close());
  expect(await second.threads.get("a")).toEqual(threadRecord("a"));
});

test("two stores on one file see each other's writes", async () => {
  const file = databaseFile();
  const [first, second] = [openSqliteStore(file), openSqliteStore(file)];
  onTestFinished(() => Promise.all([first.close(), second.close()]).then(() => {}));
  await first.threads.put(threadRecord("a"));
  expect(await second.threads.get("a")).toEqual(threadRecord("a"));
});

test("a database from a newer Heddle is refused in words and left as it is", async () => {
  const file = databaseFile();
  await openSqliteStore(file).close();
  const database = openDatabase(file);
  onTestFinished(() => database.close());
  const newer = migrations.length + 3;
  database.exec(`PRAGMA user_version = ${newer}`);
  expect(() => openSqliteStore(file)).toThrow(`schema ${newer}, and this Heddle knows ${migrations.length}`);
  expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: newer });
});

test("a step that fails leaves the schema as it was", () => {
  const database = openDatabase(":memory:");
  onTestFinished(() => database.close());
  const steps = [
    { name: "good", sql: "CREATE TABLE good (a INTEGER) STRICT" },
    { name: "bad", sql: "CREATE TABLE bad (" },
  ];
  expect(() => migrate(database, steps, "test")).toThrow("incomplete input");
  expect(database.prepare("SELECT name FROM sqlite_master").all()).toEqual([]);
  expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 0 });
});
