import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTickStats } from "./tick-stats.ts";

test("a path is looked at once in a tick, and anew in the next", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-stats-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "file");
  const stat = createTickStats();
  expect(stat(file)).toBeNull();
  writeFileSync(file, "a");
  await Promise.resolve();
  expect(stat(file)).toBeNull();
  await new Promise((resolve) => process.nextTick(resolve));
  const found = stat(file);
  expect([found?.isDirectory(), stat(file)]).toEqual([false, found]);
  rmSync(file);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(stat(file)).toBeNull();
});
