import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newRow, ROOMY, WHOLE } from "../../queue-row.fixture.ts";
import { openDatabase } from "./driver.ts";
import { openSqliteTables } from "./sqlite-tables.ts";

/** Tables, and another connection that locks their file until `release`. */
function openLocked(maxLockWaitMs?: number) {
  const folder = mkdtempSync(join(tmpdir(), "heddle-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "heddle.sqlite");
  const limit = maxLockWaitMs === undefined ? {} : { maxLockWaitMs };
  const tables = openSqliteTables(file, limit);
  onTestFinished(() => tables.close());
  const other = openDatabase(file);
  onTestFinished(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  return { file, tables, release: () => other.exec("COMMIT") };
}

/** The longest time for which the event loop was blocked during the work. */
async function longestPause(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 1);
  await work();
  clearInterval(timer);
  look();
  return longest;
}

test("while another process has locked the database, writes wait and nothing else does", async () => {
  const { tables, release } = openLocked();
  let writes: Promise<void>[] = [];
  const paused = await longestPause(async () => {
    writes = Array.from({ length: 50 }, (_, at) => tables.index.setNote(`${at}`, "x"));
    for (let reads = 0; reads < 100; reads += 1) {
      expect(await tables.index.note("0")).toBeNull();
      await new Promise((resolve) => void setTimeout(resolve, 2));
    }
  });
  expect(paused).toBeLessThan(150);
  release();
  await Promise.all(writes);
  expect([await tables.index.note("0"), await tables.index.note("49")]).toEqual(["x", "x"]);
});

test("what waits for the lock is done once, in its order", async () => {
  const { tables, release } = openLocked();
  const { queue } = tables;
  const added = ["a", "b", "c"].map((rowId) => queue.add("t", newRow(rowId), ROOMY));
  setTimeout(release, 30);
  const outcomes = await Promise.all(added);
  expect(outcomes.map(({ kind }) => kind)).toEqual(["added", "added", "added"]);
  const { rows } = await queue.list("t", WHOLE);
  expect(rows.map(({ rowId }) => rowId)).toEqual(["a", "b", "c"]);
});

test("a lock that is not let go of is given up after a stated time, and then sooner", async () => {
  const { file, tables, release } = openLocked(100);
  const writes = [tables.index.setNote("a", "x"), tables.index.putHeads([]), tables.index.setNote("b", "x")];
  const text = `${file} is locked: another process has kept it from being written to`;
  const outcomes = await Promise.allSettled(writes);
  expect(outcomes).toMatchObject([
    { reason: { code: "store.locked", message: expect.stringContaining(text) as string } },
    { status: "fulfilled" },
    { reason: { code: "store.locked" } },
  ]);
  release();
  await tables.index.setNote("a", "later");
  expect(await tables.index.note("a")).toBe("later");
});

test("what waits when the tables are closed is refused", async () => {
  const { tables } = openLocked();
  const write = tables.index.setNote("a", "x");
  await new Promise((resolve) => void setTimeout(resolve, 10));
  await Promise.all([tables.close(), expect(write).rejects.toThrow("was closed while another process")]);
});
