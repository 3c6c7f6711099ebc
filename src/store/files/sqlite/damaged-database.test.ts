import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkDatabase, damagedDatabases } from "../../open/home-maintenance.ts";
import { newRow, ROOMY, WHOLE } from "../../queue-row.fixture.ts";
import { openDatabase } from "./driver.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { openSqliteTables, type SqliteTables } from "./sqlite-tables.ts";

const MATTER = {
  threadId: "t",
  turnId: "turn",
  itemId: "item",
  atMs: 1,
  subject: { kind: "fileChange", paths: ["/a"] },
} as const;

interface DatabaseHarness {
  readonly file: string;
  readonly lost: string[];
  open(): SqliteTables;
  /** The files beside the database. */
  aside(): string[];
}

/** A closed database with a queued turn, a decision and a name. */
async function createDatabaseHarness(): Promise<DatabaseHarness> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-damage-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "heddle.sqlite");
  const lost: string[] = [];
  const open = () => {
    const tables = openSqliteTables(file, { onLoss: (what) => lost.push(what) });
    onTestFinished(() => tables.close());
    return tables;
  };
  const first = open();
  await first.queue.add("t", newRow("a"), ROOMY);
  await first.decisions.open({ threadId: "t", ephemeral: true }, MATTER);
  await first.index.setDetails("t", { name: "Named" });
  for (let at = 0; at < 200; at += 1) await first.index.setNote(`note-${at}`, "x".repeat(200));
  await first.close();
  const aside = () => readdirSync(dirname(file)).filter((name) => /unreadable-\d+$/u.test(name));
  return { file, lost, open, aside };
}

function change(file: string, sql: string): void {
  const database = openDatabase(file);
  database.exec(sql);
  database.close();
}

/** Overwrites the root pages of a table and its indexes. */
function damage(file: string, ...tables: string[]): void {
  const database = openDatabase(file);
  const names = tables.map((name) => `'${name}'`).join(", ");
  const pages = database
    .prepare(`SELECT rootpage FROM sqlite_master WHERE tbl_name IN (${names}) AND rootpage > 0`)
    .all() as { rootpage: number }[];
  const { page_size: size } = database.prepare("PRAGMA page_size").get() as { page_size: number };
  database.close();
  const handle = openSync(file, "r+");
  for (const { rootpage } of pages)
    writeSync(handle, Buffer.alloc(size, 0xa5), 0, size, (rootpage - 1) * size);
  closeSync(handle);
}

async function whatIsThere({ queue, decisions, index }: SqliteTables) {
  const { rows } = await queue.list("t", WHOLE);
  const open = await decisions.list({ limit: 10 });
  const { name } = await index.details("t");
  return { rows: rows.map(({ rowId }) => rowId), decisions: open.length, name };
}

const ALL = { rows: ["a"], decisions: 1, name: "Named" };

describe("a database", () => {
  test.each([
    ["whose index of files is damaged", (file: string) => damage(file, "rollouts"), [], ALL],
    ["that lacks a table", (file: string) => change(file, "DROP TABLE rollouts"), [], ALL],
    ["whose notes are damaged", (file: string) => damage(file, "notes"), [], ALL],
    [
      "whose queue and decisions are damaged",
      (file: string) => damage(file, "queue_rows", "decisions"),
      ["queued turns", "decisions"],
      { rows: [], decisions: 0, name: "Named" },
    ],
    [
      "that lacks the table of its queue",
      (file: string) => change(file, "DROP TABLE queue_rows"),
      ["queued turns"],
      { ...ALL, rows: [] },
    ],
  ] as const)("%s is replaced, kept, and what it had is brought over", async (_, spoil, gone, left) => {
    const harness = await createDatabaseHarness();
    spoil(harness.file);
    const { ino } = statSync(harness.file);
    const tables = harness.open();
    const before = tables.index.epoch;
    const answers = await Promise.all([
      tables.index.current("t"),
      tables.index.note("note-1"),
      tables.decisions.list({ limit: 1 }),
      tables.queue.threads(),
    ]);
    expect(answers[0]).toBeNull();
    expect(await whatIsThere(tables)).toEqual(left);
    expect(tables.index.epoch).toBeGreaterThan(before);
    expect(harness.aside()).toEqual([`${basename(harness.file)}.unreadable-${ino}`]);
    expect(harness.lost).toHaveLength(1);
    const end = gone.length === 0 ? "Everything else was recovered" : `not be recovered: ${gone.join(", ")}`;
    expect(harness.lost[0]).toMatch(new RegExp(`is damaged \\(.*\\), and is kept as .*${end}$`, "u"));
    await tables.index.setNote("a", "b");
    expect(await tables.index.note("a")).toBe("b");
  });

  test("whose schema cannot be read is replaced when it is opened", async () => {
    const harness = await createDatabaseHarness();
    const handle = openSync(harness.file, "r+");
    writeSync(handle, Buffer.alloc(2000, 0xa5), 0, 2000, 100);
    closeSync(handle);
    const tables = harness.open();
    expect(await whatIsThere(tables)).toEqual({ rows: [], decisions: 0, name: null });
    expect(harness.aside()).toHaveLength(1);
    expect(harness.lost).toEqual([expect.stringMatching(/decisions and queued turns in it are lost$/u)]);
  });

  test("is checked on demand, and replaced only if that is wanted", async () => {
    const harness = await createDatabaseHarness();
    const home = dirname(harness.file);
    expect([checkDatabase({ where: home, repair: false }), damagedDatabases(home)]).toEqual([[], []]);
    damage(harness.file, "decisions");
    expect(() => checkDatabase({ where: home, repair: false })).toThrow(/^it is damaged: /u);
    expect(harness.aside()).toEqual([]);
    expect(checkDatabase({ where: home, repair: true })).toEqual([
      expect.stringMatching(/could not be recovered: decisions$/u),
    ]);
    expect([checkDatabase({ where: home, repair: false }), damagedDatabases(home).length]).toEqual([[], 1]);
  });

  test("of an older schema is whole", async () => {
    const harness = await createDatabaseHarness();
    const home = dirname(harness.file);
    rmSync(harness.file);
    const database = openDatabase(harness.file);
    migrate(database, migrations.slice(0, 5), harness.file);
    database.close();
    expect(checkDatabase({ where: home, repair: false })).toEqual([]);
  });

  test("that is damaged while several have it open is replaced once", async () => {
    const harness = await createDatabaseHarness();
    const [one, other] = [harness.open(), harness.open()];
    await Promise.all([one.index.note("a"), other.index.note("a")]);
    change(harness.file, "DROP TABLE rollouts");
    expect([await one.index.current("t"), await other.index.current("t")]).toEqual([null, null]);
    await one.queue.add("t", newRow("b"), ROOMY);
    const { rows } = await other.queue.list("t", WHOLE);
    expect(rows.map(({ rowId }) => rowId)).toEqual(["a", "b"]);
    expect([harness.aside().length, harness.lost.length]).toEqual([1, 1]);
  });

  test("is left alone where a statement fails for another reason", async () => {
    const harness = await createDatabaseHarness();
    const tables = harness.open();
    await expect(tables.index.setNote("a", undefined as unknown as string)).rejects.toThrow("heddle.sqlite");
    await expect(tables.index.setDetails("t", { name: {} as string })).rejects.toThrow("heddle.sqlite");
    expect([harness.aside(), harness.lost, await whatIsThere(tables)]).toEqual([[], [], ALL]);
  });
});
