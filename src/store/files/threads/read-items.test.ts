import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLogger } from "../../../base/logger.ts";
import { agentItem } from "../../lines/lines.fixture.ts";
import type { FileItemRow } from "../index/history-index.ts";
import { newRow } from "../index/read-head.ts";
import { createFaultList } from "../rollout/reader.ts";
import { fileText, itemLine, temporaryFolder } from "../rollout/rollout.fixture.ts";
import { plainFiles } from "../rollout/rollout-files.ts";
import { readItems } from "./spans.ts";

const TIMES = { startedAtMs: 100_000, completedAtMs: 100_001 };
/** Shorter and longer than a block, with characters of several bytes. */
const LENGTHS = [1, 30_000, 30_000, 30_000, 65_536, 200_000, 5, 20_000, 1];
const ITEMS = LENGTHS.map((length, at) => agentItem(`item-${at}`, `${"é".repeat(length)}😀`));

function writeItems() {
  const lines = ITEMS.map((item, at) => fileText([itemLine("turn", item)], { firstOrdinal: at }));
  const path = join(
    temporaryFolder(),
    "rollout-2026-11-15T09-24-31-01a1de85-c6e8-7cd1-a911-8f3f8697f72b.jsonl",
  );
  writeFileSync(path, lines.join(""));
  let offset = 0;
  const rows = lines.map((line, at): FileItemRow => {
    const length = Buffer.byteLength(line);
    offset += length;
    const item = { turnId: "turn", itemId: `item-${at}`, type: "agentMessage", seq: at, ...TIMES };
    return { ...item, offset: offset - length, length, json: null };
  });
  return { row: newRow(path), rows };
}

const source = { files: plainFiles, faults: createFaultList(silentLogger) };

test("items of any length are read, in the order of the rows", async () => {
  const { row, rows } = writeItems();
  const items = ITEMS.map((item) => ({ ...item, ...TIMES }));
  const parts = { ...source, now: () => 0 };
  expect(await readItems(parts, row, rows)).toEqual(items);
  expect(await readItems(parts, row, rows.toReversed())).toEqual(items.toReversed());
  for (const [at, one] of rows.entries()) expect(await readItems(parts, row, [one])).toEqual([items[at]]);
});

test("an item that is not at its place any more is left out", async () => {
  const { row, rows } = writeItems();
  const moved = rows.map((one, at) =>
    at === 2 ? { ...one, itemId: "other" } : { ...one, offset: one.offset },
  );
  const cut = moved.map((one, at) =>
    at === rows.length - 1 ? { ...one, offset: one.offset + 10_000_000 } : one,
  );
  const found = await readItems({ ...source, now: () => 0 }, row, cut);
  expect(found.map((item) => item === null)).toEqual(rows.map((_, at) => at === 2 || at === rows.length - 1));
});

test.each(["file", "index"])("other work runs while items are read from the %s for long", async (from) => {
  const { row, rows } = writeItems();
  const wanted = rows.map((one, at) => (from === "file" ? one : { ...one, json: JSON.stringify(ITEMS[at]) }));
  let time = 0;
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  // Each item takes 20 ms, which is more than a slice.
  await readItems({ ...source, now: () => (time += 20) }, row, wanted);
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(rows.length);
});
