import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { createCommitCache } from "./commit-cache.ts";
import { openConnection } from "./connection.ts";

/** Two connections on one database, as two processes have them. */
function openTwo() {
  const folder = mkdtempSync(join(tmpdir(), "heddle-commits-"));
  const file = join(folder, "heddle.sqlite");
  const [own, other] = [openConnection(file), openConnection(file)];
  onTestFinished(() => {
    own.close();
    other.close();
    rmSync(folder, { recursive: true });
  });
  const writeTo = (connection: typeof own) => (value: string) =>
    void connection
      .prepare(
        "INSERT INTO notes (key, value) VALUES ('k', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      )
      .run(value);
  const read = (): string =>
    (own.prepare("SELECT value FROM notes WHERE key = 'k'").get() as { value: string }).value;
  return { file, own, other, write: writeTo(other), writeOwn: writeTo(own), read };
}

test("an answer is reused while nobody else commits, and never after a commit of another connection", () => {
  const { own, write, read } = openTwo();
  const cache = createCommitCache<string>(own, { monotonic: () => 0 });
  let queries = 0;
  const ask = () =>
    cache.get("k", () => {
      queries += 1;
      return read();
    });
  for (let round = 0; round < 200; round += 1) {
    write(`value ${round}`);
    expect([ask(), ask()]).toEqual([`value ${round}`, `value ${round}`]);
  }
  expect(queries).toBe(200);
});

test("a checkpoint between two commits hides neither", () => {
  const { file, own, write, read } = openTwo();
  const checkpointer = openConnection(file);
  onTestFinished(() => checkpointer.close());
  const cache = createCommitCache<string>(own, systemClock);
  for (let round = 0; round < 50; round += 1) {
    write(`value ${round}`);
    expect(cache.get("k", read)).toBe(`value ${round}`);
    // The next commit overwrites the WAL from its start, and leaves its size as it is.
    checkpointer.prepare("PRAGMA wal_checkpoint(RESTART)").all();
  }
});

test("a commit of the same connection keeps answers until they are cleared", () => {
  const { own, writeOwn, read } = openTwo();
  const cache = createCommitCache<string>(own, { monotonic: () => 0 });
  writeOwn("one");
  expect(cache.get("k", read)).toBe("one");
  writeOwn("two");
  expect(cache.get("k", read)).toBe("one");
  cache.clear();
  expect(cache.get("k", read)).toBe("two");
});

test("an answer is not reused for longer than its age allows", () => {
  let now = 0;
  const cache = createCommitCache<number>({ commitMark: () => "one" }, { monotonic: () => now });
  let queries = 0;
  const ask = () => cache.get("k", () => (queries += 1));
  expect([ask(), ask()]).toEqual([1, 1]);
  now = 199;
  expect(ask()).toBe(1);
  now = 200;
  expect(ask()).toBe(2);
});

test("the mark changes when the database is replaced", () => {
  const { file, own } = openTwo();
  const before = own.commitMark();
  for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`);
  own.prepare("SELECT 1").get();
  expect(own.commitMark()).not.toBe(before);
});
