import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mountSmallDisk, NO_SMALL_DISK } from "../../base/small-disk.fixture.ts";
import { decisionLogContract } from "../decisions/decision-log.contract.ts";
import type { Matter, Verdict } from "../decisions/decision-log.ts";
import { type Connection, openConnection } from "./connection.ts";
import { createSqliteDecisions } from "./sqlite-decisions.ts";

function open(folder = temporaryFolder()): Connection {
  const connection = openConnection(join(folder, "heddle.sqlite"));
  onTestFinished(() => connection.close());
  return connection;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-decisions-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

decisionLogContract("SQLite", (maxEntries) => createSqliteDecisions(open(), maxEntries));

const matter: Matter = {
  threadId: "thread",
  turnId: "turn",
  itemId: "item",
  atMs: 1,
  subject: { kind: "command", argv: ["sh", "-c", "x".repeat(4000)], cwd: "/" },
};
const verdict: Verdict = { atMs: 2, outcome: "approved", by: { kind: "policy" }, reason: "x".repeat(4000) };

test("what a full disk does not take is refused, asked or not, and nothing else shows in the log", async ({
  skip,
}) => {
  const disk = mountSmallDisk(onTestFinished, 512);
  if (disk === null) return skip(NO_SMALL_DISK);
  const log = createSqliteDecisions(open(disk.folder));
  const number = await log.open(matter);
  disk.fill();
  let kept = 0;
  for (let at = 0; at < 20; at += 1) {
    await log.record(matter, verdict).then(
      () => {
        kept += 1;
      },
      () => {},
    );
  }
  expect(kept).toBeLessThan(20);
  await expect(log.close(number, matter, verdict)).rejects.toThrow(/full/u);
  await expect(log.open(matter)).rejects.toThrow(/full/u);
  const known = await log.list({ limit: 100 });
  expect([known.length, known.at(-1)?.verdict]).toEqual([kept + 1, null]);
  disk.makeRoom();
  expect(await log.close(number, matter, verdict)).toBe(true);
});

test("a question that went with its database is not closed in another one", async () => {
  const folder = temporaryFolder();
  const log = createSqliteDecisions(open(folder));
  const number = await log.open(matter);
  for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, `heddle.sqlite${end}`));
  const other = { ...matter, threadId: "other" };
  expect(await log.open(other)).toBe(number);
  expect(await log.close(number, matter, verdict)).toBe(false);
  expect(await log.list({ limit: 9 })).toEqual([{ ...other, number, verdict: null }]);
});
