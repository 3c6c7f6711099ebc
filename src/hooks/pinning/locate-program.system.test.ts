import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeHooks } from "../hooks.fixture.ts";
import { createProgramSearch } from "./locate-program.ts";
import { markRefused } from "./refused-hooks.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "heddle-programs-"));
  for (const folder of ["one", "two", "two/folder"]) mkdirSync(join(root, folder));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function addProgram(name: string, mode = 0o700): string {
  const file = join(root, name);
  writeFileSync(file, "");
  chmodSync(file, mode);
  return file;
}

const path = () => `.::${root}/one:${root}/none:${root}/two`;

test("a program is the first file on PATH that can be executed", () => {
  addProgram("one/lint", 0o600);
  const lint = addProgram("two/lint");
  const locate = createProgramSearch();
  expect(locate("lint", path())).toBe(lint);
  expect(locate("lint", `${root}/one`)).toBeNull();
  expect(locate("folder", path())).toBeNull();
  expect(locate("lint", undefined)).toBeNull();
});

test("hooks that are checked together share a search, and the next check searches anew", async () => {
  const found: (string | null)[] = [];
  const run = () => ({ kind: "interrupted" }) as const;
  const set = await fakeHooks([
    { event: "Stop", run },
    { event: "Stop", run },
  ]).configured();
  const old = addProgram("two/lint");
  let early = "";
  const check = () =>
    markRefused(set, async ({ handler }, locate) => {
      found.push(locate("lint", path()));
      early = addProgram("one/lint");
      return { kind: "runnable", handler };
    });
  await check();
  await check();
  expect(found).toEqual([old, old, early, early]);
});
