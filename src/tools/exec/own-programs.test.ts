import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openExecBench } from "./fixtures/exec-bench.ts";
import { findOwnPrograms, withOwnPrograms } from "./own-programs.ts";

function makePackage(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-programs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "programs"));
  writeFileSync(join(folder, "programs", "apply_patch"), "#!/bin/sh\necho ours\n", { mode: 0o755 });
  return folder;
}

test("are found from the files of the package, and where there are none that is no fault", () => {
  const folder = makePackage();
  const found = { folder: join(folder, "programs"), node: "/node" };
  expect(findOwnPrograms(join(folder, "heddle.cjs"), "/node")).toEqual(found);
  expect(findOwnPrograms(join(folder, "esm", "server", "chunk.js"), "/node")).toEqual(found);
  expect(findOwnPrograms(join(tmpdir(), "nowhere", "a", "b", "c.js"), "/node")).toBeNull();
});

test("come first on a PATH, and make none where there is none", () => {
  const programs = { folder: "/own", node: "/node" };
  expect(withOwnPrograms({ PATH: "/bin", A: "a" }, programs)).toEqual({
    PATH: "/own:/bin",
    A: "a",
    HEDDLE_NODE: "/node",
  });
  expect(withOwnPrograms({ A: "a" }, programs)).toEqual({ A: "a" });
  expect(withOwnPrograms({ PATH: "" }, programs)).toEqual({ PATH: "" });
  expect(withOwnPrograms({ PATH: "/bin" }, null)).toEqual({ PATH: "/bin" });
});

test("are there for the commands of a model and of a user", async () => {
  const programs = findOwnPrograms(join(makePackage(), "heddle.cjs"), "/node");
  const bench = openExecBench({ deps: { programs } });
  onTestFinished(() => bench.close());
  const answer = await bench.call("exec_command", { cmd: "sh -c apply_patch", login: false });
  expect(answer).toMatch(/Output:\nours\n$/);
});
