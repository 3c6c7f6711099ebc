import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { chooseTemporaryFolder } from "./temporary-folder.ts";

test("a temporary folder in a repository is passed over, however deep it lies", () => {
  const root = mkdtempSync(join(tmpdir(), "heddle-places-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [inside, outside] = [join(root, "repository", "deep", "tmp"), join(root, "tmp")];
  mkdirSync(join(root, "repository", ".git"), { recursive: true });
  mkdirSync(inside, { recursive: true });
  mkdirSync(outside);
  expect(chooseTemporaryFolder([join(root, "missing"), inside, outside])).toBe(outside);
  expect(() => chooseTemporaryFolder([inside])).toThrow("set TMPDIR");
});
