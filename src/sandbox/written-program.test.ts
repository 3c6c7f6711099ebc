import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findOwnProgram, findWrittenFile } from "./written-program.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "heddle-written-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const cwd = join(base, "workspace");
mkdirSync(join(cwd, "bin"), { recursive: true });
writeFileSync(join(cwd, "bin/tool"), "#!/bin/sh\n", { mode: 0o755 });
writeFileSync(join(cwd, "bin/sh"), "#!/bin/sh\n", { mode: 0o755 });
writeFileSync(join(cwd, "script.js"), "");
const isWritten = (path: string) => path.startsWith(cwd);
const path = "/usr/bin:/bin";

test.each([
  [["sh", "-c", "true"], path, null],
  [["sh", "script.js"], path, "script.js"],
  [["sh", `--import=${cwd}/script.js`], path, "script.js"],
  [["./bin/tool"], path, "bin/tool"],
  [["tool"], `${cwd}/bin:${path}`, "bin/tool"],
  [["sh"], `bin:${path}`, "bin/sh"],
  [["sh", "missing.js", "x".repeat(5000)], path, null],
  [[], path, null],
])("in %j on %j", (argv, search, file) => {
  const expected = file === null ? null : join(cwd, file);
  expect(findWrittenFile(argv, { cwd, path: search, isWritten })).toBe(expected);
});

test("our own programs are searched for elsewhere", () => {
  expect(findOwnProgram("sh", { path: `${cwd}/bin:bin:${path}`, isWritten })).toBe("/usr/bin/sh");
  expect(findOwnProgram("tool", { path: `${cwd}/bin:${path}`, isWritten })).toBeNull();
});
