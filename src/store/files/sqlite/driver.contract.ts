import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { mountSmallDisk, NO_SMALL_DISK } from "../../../base/small-disk.fixture.ts";
import type { Database, Driver } from "./driver.ts";

const INSERT = "INSERT INTO notes (text) VALUES (?) RETURNING id";
const PAGE = "x".repeat(4096);

/** The requirement for every driver: a write that failed is never reported as successful. */
export function driverContract({ name, isOffered, open: openFile }: Driver): void {
  function open(folder?: string): Database {
    const own = folder ?? mkdtempSync(join(tmpdir(), "heddle-driver-"));
    if (folder === undefined) onTestFinished(() => rmSync(own, { recursive: true, force: true }));
    const database = openFile(join(own, "test.sqlite"));
    onTestFinished(() => database.close());
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;");
    database.exec(`
      CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
      CREATE TABLE replies (
        id INTEGER PRIMARY KEY,
        note INTEGER NOT NULL REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED
      ) STRICT;`);
    return database;
  }

  const count = (database: Database, table = "notes") =>
    (database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;

  /** The methods that can run a writing statement. */
  const WAYS = ["run", "get", "all"] as const;

  const reason = isOffered ? "" : " [this Node does not have it]";

  describe.skipIf(!isOffered)(`the driver ${name}${reason}`, () => {
    test("gives the first row of many, and none of none", () => {
      const database = open();
      expect(database.prepare("SELECT id FROM notes").get()).toBeUndefined();
      for (const text of ["one", "two"]) database.prepare(INSERT).get(text);
      expect(database.prepare("SELECT id FROM notes ORDER BY id").get()).toEqual({ id: 1 });
    });

    test.each(WAYS)("%s: what is refused when the statement ends is an error", (way) => {
      const database = open();
      const statement = database.prepare("INSERT INTO replies (note) VALUES (?) RETURNING id");
      expect(() => statement[way](99)).toThrow(/foreign key/iu);
      expect(count(database, "replies")).toBe(0);
    });

    test.each(WAYS)("%s: a database that may not grow refuses what does not fit", (way) => {
      const database = open();
      database.exec("PRAGMA max_page_count = 8");
      const statement = database.prepare(INSERT);
      const kept = succeeded(20, () => statement[way](PAGE));
      expect([kept < 20, count(database)]).toEqual([true, kept]);
    });

    test.for(WAYS)("%s: a full disk refuses, and takes more when there is room", (way, { skip }) => {
      const disk = mountSmallDisk(onTestFinished, 512);
      if (disk === null) return skip(NO_SMALL_DISK);
      const database = open(disk.folder);
      const statement = database.prepare(INSERT);
      statement.all("first");
      disk.fill();
      const kept = succeeded(20, () => statement[way](PAGE));
      expect([kept < 20, count(database)]).toEqual([true, kept + 1]);
      disk.makeRoom();
      statement[way](PAGE);
      expect(count(database)).toBe(kept + 2);
    });

    test.each(WAYS)("%s: a database that is locked, only to be read, or closed refuses", (way) => {
      const folder = mkdtempSync(join(tmpdir(), "heddle-driver-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const database = open(folder);
      const other = openFile(join(folder, "test.sqlite"));
      other.exec("PRAGMA busy_timeout = 0");
      const statement = other.prepare(INSERT);
      database.exec("BEGIN IMMEDIATE");
      expect(() => statement[way]("locked")).toThrow(/locked/iu);
      database.exec("COMMIT");
      other.exec("PRAGMA query_only = ON");
      expect(() => statement[way]("to be read")).toThrow(/readonly/iu);
      other.close();
      expect(() => statement[way]("closed")).toThrow(/not open|closed|finalized/iu);
      expect(count(database)).toBe(0);
    });
  });
}

function succeeded(times: number, act: () => unknown): number {
  let done = 0;
  for (let at = 0; at < times; at += 1) {
    try {
      act();
      done += 1;
    } catch {
      // The error is expected.
    }
  }
  return done;
}
