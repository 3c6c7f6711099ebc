import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mountSmallDisk, NO_SMALL_DISK } from "../../../base/small-disk.fixture.ts";
import type { DecisionRequest, Recorded, Verdict } from "../../decisions.ts";
import type { WriterFence } from "../../leases.ts";
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

const request: DecisionRequest = {
  threadId: "thread",
  turnId: "turn",
  itemId: "item",
  atMs: 1,
  subject: { kind: "command", argv: ["sh", "-c", "x".repeat(4000)], cwd: "/" },
};
const SOURCE: WriterFence = { threadId: "thread", ephemeral: true };
const numberOf = (recorded: Recorded): number => (recorded.kind === "kept" ? recorded.number : -1);
const verdict: Verdict = { atMs: 2, outcome: "approved", by: { kind: "policy" }, reason: "x".repeat(4000) };

test("what a full disk does not take is refused, asked or not, and nothing else shows in the log", async ({
  skip,
}) => {
  const disk = mountSmallDisk(onTestFinished, 512);
  if (disk === null) return skip(NO_SMALL_DISK);
  const log = createSqliteDecisions(open(disk.folder), "me");
  const number = numberOf(await log.open(SOURCE, request));
  disk.fill();
  let kept = 0;
  for (let at = 0; at < 20; at += 1) {
    await log.record(SOURCE, request, verdict).then(
      () => {
        kept += 1;
      },
      () => {},
    );
  }
  expect(kept).toBeLessThan(20);
  await expect(log.close(SOURCE, number, request, verdict)).rejects.toThrow(/full/u);
  await expect(log.open(SOURCE, request)).rejects.toThrow(/full/u);
  const known = await log.list({ limit: 100 });
  expect([known.length, known.at(-1)?.verdict]).toEqual([kept + 1, null]);
  disk.makeRoom();
  expect(await log.close(SOURCE, number, request, verdict)).toEqual({ kind: "closed" });
});

test("a question that went with its database is not closed in another one", async () => {
  const folder = temporaryFolder();
  const log = createSqliteDecisions(open(folder), "me");
  const number = numberOf(await log.open(SOURCE, request));
  for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, `heddle.sqlite${end}`));
  const other = { ...request, threadId: "other" };
  expect(numberOf(await log.open(SOURCE, other))).toBe(number);
  expect(await log.close(SOURCE, number, request, verdict)).toEqual({ kind: "late" });
  expect(await log.list({ limit: 9 })).toEqual([{ ...other, number, verdict: null }]);
});
