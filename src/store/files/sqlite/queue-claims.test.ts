import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newRow, ROOMY } from "../../queue-row.fixture.ts";
import { openSqliteTables } from "./sqlite-tables.ts";

const FENCED = { kind: "fenced" };

function openBoth() {
  const folder = mkdtempSync(join(tmpdir(), "heddle-claims-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const open = (owner: string) => {
    const tables = openSqliteTables(join(folder, "heddle.sqlite"), { owner });
    onTestFinished(() => tables.close());
    return tables;
  };
  return [open("one"), open("other")] as const;
}

test("a thread that was taken over is not touched, whatever its last holder found out before", async () => {
  const [one, other] = openBoth();
  for (const rowId of ["a", "b"]) await one.queue.add("t", newRow(rowId), ROOMY);
  const lease = await one.index.acquireLease({ threadId: "t", owner: "one" });
  const taken = await other.index.acquireLease({ threadId: "t", owner: "other", ignoring: ["one"] });
  if (lease.kind === "elsewhere" || taken.kind === "elsewhere") throw new Error("it is held elsewhere");
  const stale = { threadId: "t", epoch: lease.epoch };
  const fence = { threadId: "t", epoch: taken.epoch };
  const tryAll = async (given: typeof fence) => [
    await one.queue.claim(given, "turn"),
    await one.queue.claim(given, "turn", "b"),
    await one.queue.ack(given, "a", "turn", { kind: "started", preview: "" }),
    await one.queue.recover(given, async () => true, {}),
  ];
  // Neither under its own fence nor under that of the other process.
  for (const given of [stale, fence]) expect(await tryAll(given)).toEqual([FENCED, FENCED, FENCED, FENCED]);
  expect(await other.queue.claim(fence, "turn")).toMatchObject({ kind: "claimed", row: { rowId: "a" } });
  for (const given of [stale, fence]) expect(await tryAll(given)).toEqual([FENCED, FENCED, FENCED, FENCED]);
  expect(await other.queue.ack(fence, "a", "turn", { kind: "started", preview: "" })).toBe(true);
  expect(await one.queue.ids("t")).toEqual(["b"]);
});
