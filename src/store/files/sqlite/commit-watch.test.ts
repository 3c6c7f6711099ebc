import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { createCommitCache, createCommitWatch } from "./commit-watch.ts";
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
  const write = (value: string): void =>
    void other
      .prepare(
        "INSERT INTO notes (key, value) VALUES ('k', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      )
      .run(value);
  const read = (): string =>
    (own.prepare("SELECT value FROM notes WHERE key = 'k'").get() as { value: string }).value;
  /** Makes the last commit older than the resolution of timestamps. */
  const age = (): void => {
    const at = Date.now() / 1000 - 60.000_5;
    utimesSync(`${file}-wal`, at, at);
  };
  return { file, write, read, age };
}

test("an answer is reused while nothing is committed, and never after a commit of another process", () => {
  const { file, write, read, age } = openTwo();
  const cache = createCommitCache<string>(createCommitWatch(file, systemClock), systemClock);
  let queries = 0;
  const ask = () =>
    cache.get("k", () => {
      queries += 1;
      return read();
    });
  for (let round = 0; round < 200; round += 1) {
    write(`value ${round}`);
    // In every other round the commit is recent, as in a burst.
    if (round % 2 === 0) age();
    expect([ask(), ask()]).toEqual([`value ${round}`, `value ${round}`]);
  }
  // A recent commit is never relied on.
  expect(queries).toBe(100 + 200);
});

test("a checkpoint between two commits hides neither", () => {
  const { file, write, read, age } = openTwo();
  const checkpointer = openConnection(file);
  onTestFinished(() => checkpointer.close());
  const cache = createCommitCache<string>(createCommitWatch(file, systemClock), systemClock);
  for (let round = 0; round < 50; round += 1) {
    write(`value ${round}`);
    age();
    expect(cache.get("k", read)).toBe(`value ${round}`);
    // The next commit overwrites the WAL from its start, and leaves its size as it is.
    checkpointer.prepare("PRAGMA wal_checkpoint(RESTART)").all();
  }
});

test("is not relied on for longer than its age allows, nor without a WAL file", () => {
  let now = 0;
  let stamp: string | null = "one";
  const cache = createCommitCache<number>({ stamp: () => stamp }, { monotonic: () => now });
  let queries = 0;
  const ask = () => cache.get("k", () => (queries += 1));
  expect([ask(), ask()]).toEqual([1, 1]);
  now = 200;
  expect(ask()).toBe(2);
  stamp = null;
  expect([ask(), ask()]).toEqual([3, 4]);
});
