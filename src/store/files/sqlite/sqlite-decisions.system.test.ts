import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mountSmallDisk, NO_SMALL_DISK } from "../../../base/small-disk.fixture.ts";
import type { NewDecisionRequest, NewVerdict, Recorded, StoredDecision } from "../../decisions.ts";
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

const request: NewDecisionRequest = {
  threadId: "thread",
  turnId: "turn",
  itemId: "item",
  subject: { kind: "command", argv: ["sh", "-c", "x".repeat(4000)], cwd: "/" },
};
const SOURCE: WriterFence = { threadId: "thread", ephemeral: true };
const OWNER = { owner: "me", clock: { now: () => 1 } };
const verdict: NewVerdict = { outcome: "approved", by: { kind: "policy" }, reason: "x".repeat(4000) };

function opened(recorded: Recorded): StoredDecision {
  if (recorded.kind === "fenced") throw new Error("the thread is held elsewhere");
  return recorded.decision;
}

test("what a full disk does not take is refused, asked or not, and nothing else shows in the log", async ({
  skip,
}) => {
  const disk = mountSmallDisk(onTestFinished, 512);
  if (disk === null) return skip(NO_SMALL_DISK);
  const log = createSqliteDecisions(open(disk.folder), OWNER);
  const asked = opened(await log.open(SOURCE, request));
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
  await expect(log.close(SOURCE, asked, verdict)).rejects.toThrow(/full/u);
  await expect(log.open(SOURCE, request)).rejects.toThrow(/full/u);
  const known = await log.list({ limit: 100 });
  expect([known.length, known.at(-1)?.verdict]).toEqual([kept + 1, null]);
  disk.makeRoom();
  expect(await log.close(SOURCE, asked, verdict)).toMatchObject({ kind: "closed" });
});

test("a question that went with its database is not closed in another one", async () => {
  const folder = temporaryFolder();
  const log = createSqliteDecisions(open(folder), OWNER);
  const asked = opened(await log.open(SOURCE, request));
  for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, `heddle.sqlite${end}`));
  const other = { ...request, threadId: "other" };
  expect(opened(await log.open(SOURCE, other)).number).toBe(asked.number);
  expect(await log.close(SOURCE, asked, verdict)).toEqual({ kind: "late" });
  expect(await log.list({ limit: 9 })).toEqual([{ ...asked, ...other }]);
});
