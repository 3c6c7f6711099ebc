import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import type { Queue } from "../../queue.ts";
import { newRow, ROOMY, WHOLE } from "../../queue-row.fixture.ts";
import { openSqliteTables } from "./sqlite-tables.ts";

const T = "thread";
const ENDS = ["", "-wal", "-shm"];

function databaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-queue-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "heddle.sqlite");
}

function openTables(file: string, owner: string, clock = createFakeClock(1)) {
  const tables = openSqliteTables(file, { owner, clock });
  onTestFinished(() => tables.close());
  return tables;
}

const add = async (queue: Queue, rowId: string): Promise<string> => {
  const row = newRow(rowId, { clientUserMessageId: `key-${rowId}` });
  return (await queue.add(T, row, ROOMY)).kind;
};
const visible = (queue: Queue) => queue.ids(T);

describe("a queue whose database", () => {
  const losses: readonly (readonly [string, (file: string) => void])[] = [
    ["is removed", (file) => ENDS.forEach((end) => rmSync(file + end, { force: true }))],
    ["is removed without its log", (file) => rmSync(file)],
    ["is moved away", (file) => ENDS.forEach((end) => renameSync(file + end, `${file}.old${end}`))],
    [
      "is replaced by what is none",
      (file) => {
        ENDS.forEach((end) => rmSync(file + end, { force: true }));
        writeFileSync(file, "this is no database".repeat(100));
      },
    ],
    [
      "is replaced by a new one",
      (file) => {
        ENDS.forEach((end) => rmSync(file + end, { force: true }));
        void openSqliteTables(file).close();
      },
    ],
  ];
  for (const [how, lose] of losses)
    test(`${how} is kept by the process that has it open, whole and in order`, async () => {
      const file = databaseFile();
      const { queue, index } = openTables(file, "me");
      for (const rowId of ["a", "b", "c", "d"]) await add(queue, rowId);
      await queue.reorder(T, ["d", "c", "b", "a"]);
      await queue.remove(T, "b");
      await queue.pause(T, "why");
      const lease = await index.acquireLease({ threadId: T, owner: "me" });
      if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
      expect((await queue.claim({ threadId: T, epoch: lease.epoch }, "turn", "c")).kind).toBe("claimed");
      const before = await queue.list(T, WHOLE);
      lose(file);
      expect(await queue.list(T, WHOLE)).toEqual(before);
      expect(await add(queue, "a")).toBe("known");
      const again = await index.acquireLease({ threadId: T, owner: "me" });
      if (again.kind === "elsewhere") throw new Error("it is held elsewhere");
      const fence = { threadId: T, epoch: again.epoch };
      expect(await queue.ack(fence, "c", "turn", { kind: "failed", failure: {} })).toBe(true);
      expect(await visible(queue)).toEqual(["d", "c", "a"]);
      expect(await visible(openTables(file, "later").queue)).toEqual(["d", "c", "a"]);
    });

  test("is removed still knows what has started, and what is due", async () => {
    const file = databaseFile();
    const { queue, index } = openTables(file, "me");
    const lease = await index.acquireLease({ threadId: T, owner: "me" });
    if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
    const fence = { threadId: T, epoch: lease.epoch };
    for (const rowId of ["a", "b"]) await add(queue, rowId);
    await queue.claim(fence, "turn");
    await queue.ack(fence, "a", "turn", { kind: "started", preview: "words" });
    const end = { how: "completed", atMs: 1, durationMs: 2, tokens: 3, error: null } as const;
    await queue.recordEnd(fence, "turn", end);
    const before = await queue.started({ limit: 9 });
    expect(before).toMatchObject([{ rowId: "a", end }]);
    for (const ending of ENDS) rmSync(file + ending, { force: true });
    expect(await queue.started({ limit: 9 })).toEqual(before);
    expect(await add(queue, "a")).toBe("started");
    expect((await queue.due()).threadIds).toEqual([T]);
  });

  test("is removed is moved once, whichever process comes first and whatever came since", async () => {
    const file = databaseFile();
    const [one, other] = [openTables(file, "one"), openTables(file, "other")];
    for (const rowId of ["a", "b"]) await add(one.queue, rowId);
    for (const end of ENDS) rmSync(file + end, { force: true });
    expect(await add(one.queue, "c")).toBe("added");
    expect(await one.queue.remove(T, "a")).toBe(true);
    expect(await visible(other.queue)).toEqual(["b", "c"]);
    expect(await visible(one.queue)).toEqual(["b", "c"]);
  });

  test("is another one is heard of by whoever watches", async () => {
    const file = databaseFile();
    const clock = createFakeClock(1);
    const [one, other] = [openTables(file, "one", clock), openTables(file, "other", clock)];
    await add(one.queue, "a");
    const heard: string[] = [];
    one.queue.watch((threadId) => heard.push(threadId));
    for (const end of ENDS) rmSync(file + end, { force: true });
    await add(other.queue, "b");
    clock.advance(500);
    expect(heard).toEqual([T]);
    await add(other.queue, "c");
    clock.advance(500);
    expect(heard).toEqual([T, T]);
    expect(await visible(one.queue)).toEqual(["a", "b", "c"]);
  });
});

test("rows that are found later come before what has come since", async () => {
  const file = databaseFile();
  const old = openTables(file, "old");
  for (const rowId of ["a", "b"]) await add(old.queue, rowId);
  for (const end of ENDS) rmSync(file + end, { force: true });
  const { queue } = openTables(file, "new");
  for (const rowId of ["c", "d"]) await add(queue, rowId);
  expect(await visible(old.queue)).toEqual(["a", "b", "c", "d"]);
  await queue.reorder(T, ["d", "a", "c", "b"]);
  expect(await visible(old.queue)).toEqual(["d", "a", "c", "b"]);
});

test("whoever opens a home hears of what cannot be kept", async () => {
  const file = databaseFile();
  writeFileSync(file, "this is no database".repeat(100));
  const losses: string[] = [];
  const tables = openSqliteTables(file, { onLoss: (what) => losses.push(what) });
  onTestFinished(() => tables.close());
  const [aside = ""] = readdirSync(dirname(file)).filter((name) => name.includes("unreadable"));
  expect(losses).toEqual([
    `${file} is no database, and is kept as ${join(dirname(file), aside)}: decisions and queued turns in it are lost`,
  ]);
});
