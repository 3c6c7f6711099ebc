/** What surrounds a store in PostgreSQL: its schema, its messages, and its receipts. */
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { messageOf } from "../../src/base/errors.ts";
import { silentLogger } from "../../src/base/logger.ts";
import { ledgerContract } from "../../src/lifecycle/receipts/ledger.contract.ts";
import { describeStoreFault } from "../../src/store/open/describe-store-fault.ts";
import { openPostgres } from "../../src/store/postgres/connection/database.ts";
import { createServerTime } from "../../src/store/postgres/connection/store-time.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { createPostgresReceipts } from "../../src/store/postgres/records/postgres-receipts.ts";
import { migratePostgres } from "../../src/store/postgres/schema/migrate.ts";
import { postgresMigrations } from "../../src/store/postgres/schema/migrations.ts";
import { testUnless } from "../support/needs-program.ts";
import { lackOfPostgres } from "../support/postgres-server.ts";
import { createId, createTestSchema } from "./real-stores.ts";

const lack = lackOfPostgres();

const openAt = (url: string) =>
  openPostgres({ url, time: createServerTime(systemClock), clock: systemClock });

testUnless(lack, "servers that start at once migrate an empty database once", async () => {
  const { server, url, open } = await createTestSchema();
  await Promise.all([open(), open(), open(), open()]);
  expect(await server.run("SELECT * FROM meta", url)).toEqual([
    { schema_version: postgresMigrations.length, min_writer: postgresMigrations.length },
  ]);
});

testUnless(
  lack,
  "a newer schema is used if it allows for this version, and refused if it does not",
  async () => {
    const { server, url, open } = await createTestSchema();
    await open();
    await server.run("UPDATE meta SET schema_version = 99", url);
    await (await open()).ping();
    await server.run("UPDATE meta SET min_writer = 98", url);
    await expect(open()).rejects.toThrow(
      `the database has schema 99, which needs a Heddle that knows schema 98, and this one knows ${postgresMigrations.length}: upgrade it`,
    );
  },
);

testUnless(lack, "a migration that fails leaves the schema as it was", async () => {
  const { server, url, open } = await createTestSchema();
  await open();
  const database = openAt(url);
  const broken = { name: "broken", minWriter: 1, sql: "CREATE TABLE added (a int);\nDROP TABLE none;" };
  await expect(migratePostgres(database, [...postgresMigrations, broken])).rejects.toThrow(
    'table "none" does not exist',
  );
  await database.close();
  expect(await server.run("SELECT schema_version FROM meta", url)).toEqual([
    { schema_version: postgresMigrations.length },
  ]);
  await (await open()).ping();
});

test.each([
  ["postgres://user:pa55word@127.0.0.1:1/name", "the database cannot be reached: connect ECONNREFUSED"],
  ["postgres://user:pa55word@host.invalid/name", "the database cannot be reached: "],
])("a server that is not there is named without the password", { timeout: 20_000 }, async (url, words) => {
  const opened = openPostgresStore({ url, clock: systemClock, log: silentLogger, createId });
  const error = await opened.then(
    () => null,
    (fault: unknown) => fault,
  );
  const shown = describeStoreFault(url, error) ?? "";
  expect(shown).toContain(words);
  expect(`${shown} ${messageOf(error)} ${error instanceof Error ? error.stack : ""}`).not.toContain(
    "pa55word",
  );
});

testUnless(lack, "a database that may lose what it has acknowledged is refused", async () => {
  const { url } = await createTestSchema();
  const weak = new URL(url);
  weak.searchParams.set("synchronous_commit", "off");
  const opened = openPostgresStore({ url: weak.href, clock: systemClock, log: silentLogger, createId });
  await expect(opened).rejects.toThrow("the store needs a database with synchronous_commit");
});

testUnless(lack, "statements that conflict are tried again", async () => {
  const { url } = await createTestSchema();
  const database = openAt(url);
  await database.query("CREATE TABLE place (id int PRIMARY KEY, count int)");
  await database.query("INSERT INTO place VALUES (1, 0), (2, 0)");
  // Locks in opposite orders are deadlocks.
  const add = (ids: readonly number[]) =>
    database.transaction(async ({ query }) => {
      for (const id of ids) await query("UPDATE place SET count = count + 1 WHERE id = $1", id);
    });
  await Promise.all(Array.from({ length: 4 }, (_, at) => add(at % 2 === 0 ? [1, 2] : [2, 1])));
  expect(await database.query("SELECT sum(count)::int AS sum FROM place")).toEqual([{ sum: 8 }]);
  await database.close();
});

testUnless(lack, "text that the database cannot hold is stored with replacements", async () => {
  const { open } = await createTestSchema();
  const { audit, threads } = await open();
  const odd = "a\0b\ud800c";
  await audit.record({ subject: odd, client: null, method: "m", threadId: null, detail: null });
  expect((await audit.list({ limit: 1 }))[0]?.subject).toBe("a\ufffdb\ufffdc");
  expect(await threads.read(odd)).toBeNull();
});

if (lack === null)
  ledgerContract("PostgreSQL", async () => {
    const { server, url } = await createTestSchema();
    const database = openAt(url);
    await migratePostgres(database);
    return {
      ledger: createPostgresReceipts(database, systemClock),
      reopen: async () => createPostgresReceipts(database, systemClock),
      lose: async (id) => void (await server.run(`DELETE FROM receipt WHERE receipt_id = '${id}'`, url)),
      close: () => database.close(),
    };
  });
