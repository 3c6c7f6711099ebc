import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { WHOLE } from "../../queue-row.fixture.ts";
import { noDetails } from "../../thread-store.ts";
import { batch, rolloutRow, turn } from "../index/index-rows.fixture.ts";
import { openDatabase } from "./driver.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { openSqliteTables } from "./sqlite-tables.ts";

function databaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "home", "heddle.sqlite");
}

test("takes in many files at once, each all or not at all, whatever becomes of the others", async () => {
  const { index, close } = openSqliteTables(databaseFile());
  onTestFinished(() => close());
  const ids = Array.from({ length: 70 }, (_, at) => `a${at}`);
  const broken = { ...turn("t1", 1), status: {} as "completed" };
  const outcomes = await Promise.allSettled(
    ids.map((id, at) =>
      index.apply(
        batch(
          rolloutRow(id, { indexedBytes: 10 }),
          at === 2 ? 5 : 0,
          at === 40 ? [turn("t0", 0), broken] : [turn("t1", 1)],
        ),
      ),
    ),
  );
  const said = outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : "failed"));
  expect(said).toEqual(ids.map((_, at) => (at === 40 ? "failed" : at !== 2)));
  const kept = await Promise.all(ids.map(async (id) => (await index.rollout(id))?.indexedBytes ?? 0));
  expect(kept).toEqual(ids.map((_, at) => (at === 40 || at === 2 ? 0 : 10)));
});

const PECULIAR = "ä€😀 'quoted' \u0000 end";

test("what was stored is there when the file is opened again", async () => {
  const file = databaseFile();
  const first = openSqliteTables(file);
  await first.index.setNote("a", PECULIAR);
  await first.close();
  const second = openSqliteTables(file);
  onTestFinished(() => second.close());
  expect(await second.index.note("a")).toBe(PECULIAR);
});

test("two stores on one file see each other's writes", async () => {
  const file = databaseFile();
  const [first, second] = [openSqliteTables(file), openSqliteTables(file)];
  onTestFinished(() => Promise.all([first.close(), second.close()]).then(() => {}));
  await first.index.setNote("a", PECULIAR);
  expect(await second.index.note("a")).toBe(PECULIAR);
});

test("a database is brought up to date from each step of its schema", async () => {
  for (const known of migrations.keys()) {
    const file = databaseFile();
    mkdirSync(dirname(file));
    const database = openDatabase(file);
    migrate(database, migrations.slice(0, known), file);
    database.close();
    const store = openSqliteTables(file);
    onTestFinished(() => store.close());
    await store.index.setDetails("a", { name: "Named" });
    expect(await store.index.details("a")).toEqual({ ...noDetails, name: "Named" });
  }
});

test("turns that were queued before a step of the schema wait behind it as they did", async () => {
  const file = databaseFile();
  mkdirSync(dirname(file));
  const database = openDatabase(file);
  const step = migrations.findIndex(({ name }) => name === "queue params");
  migrate(database, migrations.slice(0, step), file);
  const add = database.prepare(`
    INSERT INTO queue (thread_id, row_id, client_id, params, position, state, failure, created_at_ms, updated_at_ms)
    VALUES ('t', ?, ?, ?, ?, ?, ?, 3, 4)`);
  add.run("a", '"key"', '{"text":"é"}', 2, "pending", null);
  add.run("b", null, "{}", 1, "failed", '{"message":"why"}');
  database.close();
  const { queue, close } = openSqliteTables(file);
  onTestFinished(close);
  const known = { threadId: "t", notBeforeMs: null, turnId: null, createdAtMs: 3, updatedAtMs: 4 };
  const b = {
    rowId: "b",
    clientUserMessageId: null,
    params: {},
    state: "failed",
    failure: { message: "why" },
  };
  const a = {
    rowId: "a",
    clientUserMessageId: "key",
    params: { text: "é" },
    state: "pending",
    failure: null,
  };
  expect((await queue.list("t", WHOLE)).rows).toEqual([b, a].map((row) => ({ ...known, ...row })));
  // 13 bytes of params and 5 of the key in one row, 2 in the other.
  const sizes = async (maxBytes: number) => (await queue.list("t", { ...WHOLE, maxBytes })).rows.length;
  expect([await sizes(19), await sizes(20)]).toEqual([1, 2]);
  expect(await queue.remove("t", "b")).toBe(true);
});

describe("a store to be looked at only", () => {
  const contents = (file: string) =>
    readdirSync(dirname(file)).map((name) => [name, readFileSync(join(dirname(file), name), "base64")]);

  test("shows what is there and leaves the files as they are", async () => {
    const file = databaseFile();
    const writing = openSqliteTables(file);
    await writing.index.setNote("a", "1");
    await writing.close();
    const before = contents(file);
    const looking = openSqliteTables(file, { readOnly: true });
    expect(await looking.index.note("a")).toBe("1");
    await expect(looking.index.setNote("a", "2")).rejects.toThrow("readonly");
    await looking.close();
    expect(contents(file)).toEqual(before);
  });

  test("sees what a living server has not taken into the database yet, and leaves it there", async () => {
    const file = databaseFile();
    const writing = openSqliteTables(file);
    onTestFinished(() => writing.close());
    await writing.index.setNote("a", "1");
    const pages = () => readFileSync(`${file}-wal`, "base64");
    const before = pages();
    const looking = openSqliteTables(file, { readOnly: true });
    expect(await looking.index.note("a")).toBe("1");
    await looking.close();
    expect(pages()).toBe(before);
  });

  test("is not made, and none is made of what is no database", () => {
    const file = databaseFile();
    mkdirSync(dirname(file));
    expect(() => openSqliteTables(file, { readOnly: true })).toThrow("there is none");
    expect(contents(file)).toEqual([]);
    writeFileSync(file, "this is no database, however long one looks at it");
    const before = contents(file);
    expect(() => openSqliteTables(file, { readOnly: true })).toThrow("file is not a database");
    expect(contents(file)).toEqual(before);
  });

  test("is not brought up to date", async () => {
    const file = databaseFile();
    mkdirSync(dirname(file));
    const database = openDatabase(file);
    migrate(database, migrations.slice(0, -1), file);
    database.close();
    const before = contents(file);
    const looking = openSqliteTables(file, { readOnly: true });
    expect(await looking.decisions.list({ limit: 1 })).toEqual([]);
    await looking.close();
    expect(contents(file)).toEqual(before);
  });
});

test("a database from a newer Heddle is refused in words and left as it is", async () => {
  const file = databaseFile();
  await openSqliteTables(file).close();
  const database = openDatabase(file);
  onTestFinished(() => database.close());
  const newer = migrations.length + 3;
  database.exec(`PRAGMA user_version = ${newer}`);
  expect(() => openSqliteTables(file)).toThrow(`schema ${newer}, and this Heddle knows ${migrations.length}`);
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
