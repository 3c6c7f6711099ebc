/** Reads from a position: how many bytes they read, and which positions they return. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { accepted, createFinishedThread, opened, writeTurn } from "../../contract/store-harness.fixture.ts";
import type { LinePosition } from "../../line-position.ts";
import type { ThreadStore } from "../../thread-store.ts";
import { createHistoryHarness, sqliteIndex } from "./history.fixture.ts";

/** All bytes that this process has read. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

async function positionsOf(threads: ThreadStore, threadId: string, from?: LinePosition): Promise<string[]> {
  const found: string[] = [];
  for await (const { generation, seq } of threads.lines(threadId, from === undefined ? {} : { from }))
    found.push(`${generation}/${seq}`);
  return found;
}

const LONG = "x".repeat(4000);

test.skipIf(process.platform !== "linux")(
  "reading the last lines of a thread reads no more of a long one than of a short one",
  { timeout: 60_000 },
  async () => {
    const costs: number[] = [];
    for (const turns of [200, 2000]) {
      const harness = createHistoryHarness();
      const threads = harness.open({ index: sqliteIndex(harness.home) });
      const journal = threads.create(harness.origin());
      for (let at = 0; at < turns; at += 1) await writeTurn(journal, `t${at}`, "hello", LONG);
      const from = { generation: 0, seq: turns * 4 - 3 };
      await positionsOf(threads, journal.threadId, from);
      const before = bytesRead();
      expect(await positionsOf(threads, journal.threadId, from)).toHaveLength(4);
      costs.push(bytesRead() - before);
      const whole = bytesRead();
      await positionsOf(threads, journal.threadId);
      expect(bytesRead() - whole).toBeGreaterThan(turns * LONG.length);
    }
    const [short = 0, long = 0] = costs;
    expect(Math.max(short, long)).toBeLessThan(400_000);
    expect(Math.abs(long - short)).toBeLessThan(100_000);
  },
);

test("segments that do not say their generation are counted, and those that do are believed", async () => {
  const harness = createHistoryHarness();
  const threads = harness.open({ index: sqliteIndex(harness.home) });
  const threadId = await createFinishedThread(harness, threads, ["t1", "t2"]);
  const paths: string[] = [];
  for (const turn of ["t2", "u1"]) {
    harness.advance(5000);
    accepted(await threads.revert(threadId, turn));
    const journal = await opened(threads, threadId);
    paths.push(journal.location ?? "");
    await writeTurn(journal, "u1");
    await journal.close();
  }
  await threads.close();
  const [first = "", second = ""] = paths;
  expect(readFileSync(second, "utf8")).toContain('"heddle_generation":2');

  const open = () => harness.open({ index: sqliteIndex(harness.home) });
  // As if another program had created the second revert, without a generation.
  const text = readFileSync(second, "utf8");
  writeFileSync(second, text.replace(',"heddle_generation":2', ""));
  rmSync(`${harness.home}/heddle.sqlite`, { force: true });
  const counting = open();
  expect((await positionsOf(counting, threadId)).at(-1)).toMatch(/^2\//);
  await counting.close();

  // A lost file does not change the generation of files that contain theirs.
  writeFileSync(second, text);
  rmSync(first);
  rmSync(`${harness.home}/heddle.sqlite`, { force: true });
  const believing = open();
  expect((await positionsOf(believing, threadId)).at(-1)).toMatch(/^2\//);
});
