import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mountSmallDisk, NO_SMALL_DISK } from "../../base/small-disk.fixture.ts";
import { allowRuleLine, appendRuleLine } from "./rule-book.ts";

test("a rule that does not fit on the disk is rolled back", async ({ skip }) => {
  const disk = mountSmallDisk(onTestFinished, 64);
  if (disk === null) return skip(NO_SMALL_DISK);
  const path = join(disk.folder, "rules", "default.rules");
  await appendRuleLine(path, allowRuleLine(["git", "status"]));
  const before = readFileSync(path, "utf8");
  disk.fill();
  const long = allowRuleLine(["echo", "é".repeat(6000)]);
  await expect(appendRuleLine(path, long)).rejects.toThrow("ENOSPC");
  expect(readFileSync(path, "utf8")).toBe(before);
  disk.makeRoom();
  await appendRuleLine(path, long);
  expect(readFileSync(path, "utf8")).toBe(`${before}${long}\n`);
});
