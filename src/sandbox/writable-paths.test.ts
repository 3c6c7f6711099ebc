import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { findSandboxWritableFile, findTrustedProgram, openSandboxWritablePaths } from "./writable-paths.ts";

let base: string;
const at = (path: string) => join(base, path);

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "heddle-places-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const folder of ["state", "project/sub", "other"]) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at("project/file"), "");
});

test("paths in a root are contained, except for paths protected in the same bounds", () => {
  const writablePaths = openSandboxWritablePaths(at("state"));
  expect(writablePaths.contains(at("project/file"))).toBe(false);
  writablePaths.note({ roots: [at("project")], protectedPaths: [at("project/.codex")] });
  const seen = ["project/file", "project/sub/.codex", "project/.codex/config.toml", "other", "project"];
  expect(seen.map((path) => writablePaths.contains(at(path)))).toEqual([true, true, false, false, true]);
  writablePaths.note({ roots: [base], protectedPaths: [] });
  expect(writablePaths.contains(at("project/.codex/config.toml"))).toBe(true);
});

test("a symlink that a command could retarget is contained, whatever its target", () => {
  const writablePaths = openSandboxWritablePaths(at("state"));
  symlinkSync(at("other"), at("project/link"));
  symlinkSync(at("project"), at("other/back"));
  writablePaths.note({ roots: [at("project")], protectedPaths: [] });
  expect(
    ["project/link/x", "other/back/file", "other/x"].map((path) => writablePaths.contains(at(path))),
  ).toEqual([true, true, false]);
});

test("servers of one home share the record, and it is persistent", async () => {
  const [one, other] = [openSandboxWritablePaths(at("state")), openSandboxWritablePaths(at("state"))];
  expect(other.contains(at("project/file"))).toBe(false);
  one.note({ roots: [at("project")], protectedPaths: [] });
  await new Promise((resolve) => setImmediate(resolve));
  expect([other.contains(at("project/file")), openSandboxWritablePaths(at("state")).list()]).toEqual([
    true,
    [at("project")],
  ]);
});

test("root-owned programs are not contained when the workspace is /", () => {
  const system = realpathSync("/usr/bin/env");
  const reach = (user: number) => {
    const writablePaths = openSandboxWritablePaths(at(`state-${user}`), user);
    writablePaths.note({ roots: ["/"], protectedPaths: [] });
    return [writablePaths.contains(system), writablePaths.contains(at("project/file"))];
  };
  expect([reach(12_345), reach(0)]).toEqual([
    [false, true],
    [true, true],
  ]);
});

test("bounds without writable roots are not recorded", () => {
  const writablePaths = openSandboxWritablePaths(at("state"));
  writablePaths.note({ roots: [], protectedPaths: [] });
  expect(writablePaths.list()).toEqual([]);
});

test("an unreadable line contains every path", () => {
  openSandboxWritablePaths(at("state")).note({ roots: [at("project")], protectedPaths: [] });
  appendFileSync(at("state/writable-places.jsonl"), '{"roots":["/so');
  expect(openSandboxWritablePaths(at("state")).contains(at("other"))).toBe(true);
});

test("the record of any number of workspaces is bounded, and none is lost", () => {
  const writablePaths = openSandboxWritablePaths(at("state"));
  const workspaces = Array.from({ length: 700 }, (_, index) => at(`many/${index}`));
  for (const workspace of workspaces) writablePaths.note({ roots: [workspace], protectedPaths: [] });
  expect(writablePaths.list().length).toBeLessThan(300);
  expect(workspaces.every((workspace) => writablePaths.contains(join(workspace, "x")))).toBe(true);
});

describe("a command line", () => {
  const own = realpathSync(mkdtempSync(join(tmpdir(), "heddle-written-")));
  afterAll(() => rmSync(own, { recursive: true, force: true }));
  const cwd = join(own, "workspace");
  mkdirSync(join(cwd, "bin"), { recursive: true });
  writeFileSync(join(cwd, "bin/tool"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(cwd, "bin/sh"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(cwd, "script.js"), "");
  const isSandboxWritable = (path: string) => path.startsWith(cwd);
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
    expect(findSandboxWritableFile(argv, { cwd, path: search, isSandboxWritable })).toBe(expected);
  });

  test("trusted programs are looked up outside writable paths", () => {
    expect(findTrustedProgram("sh", { path: `${cwd}/bin:bin:${path}`, isSandboxWritable })).toBe(
      "/usr/bin/sh",
    );
    expect(findTrustedProgram("tool", { path: `${cwd}/bin:${path}`, isSandboxWritable })).toBeNull();
  });
});
