import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  applyEnvironmentPolicy,
  DEFAULT_ENVIRONMENT_POLICY,
  findOwnPrograms,
  withOwnPrograms,
} from "./command-environment.ts";
import { openExecBench } from "./fixtures/exec-bench.ts";

const OWN = {
  PATH: "/bin",
  Home: "/home/me",
  API_KEY: "k",
  my_token: "t",
  FOO: "1",
  NODE_REPL_AUTH_TOKEN: "x",
};
const apply = (policy: Partial<typeof DEFAULT_ENVIRONMENT_POLICY>) =>
  applyEnvironmentPolicy(OWN, { ...DEFAULT_ENVIRONMENT_POLICY, ...policy });

test("everything is inherited by default, except for the server's launch context", () => {
  expect(apply({})).toEqual({ PATH: "/bin", Home: "/home/me", API_KEY: "k", my_token: "t", FOO: "1" });
});

test("the core is a few names, in any case", () => {
  expect(apply({ inherit: "core" })).toEqual({ PATH: "/bin", Home: "/home/me" });
});

test("nothing is inherited when nothing is to be", () => {
  expect(apply({ inherit: "none", set: { A: "b" } })).toEqual({ A: "b" });
});

test("names that sound secret are dropped unless configured", () => {
  expect(apply({ ignoreDefaultExcludes: false })).toEqual({ PATH: "/bin", Home: "/home/me", FOO: "1" });
});

test("`set` applies after `exclude` and before `include_only`", () => {
  expect(
    apply({
      exclude: ["f?o", "*_KEY"],
      set: { FOO: "2", BAR: "3", NODE_REPL_AUTH_TOKEN: "y" },
      includeOnly: ["foo", "P*"],
    }),
  ).toEqual({ PATH: "/bin", FOO: "2" });
});

function makePackage(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-programs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "programs"));
  writeFileSync(join(folder, "programs", "apply_patch"), "#!/bin/sh\necho ours\n", { mode: 0o755 });
  return folder;
}

test("are found beside the package's files, and may be absent", () => {
  const folder = makePackage();
  const found = { folder: join(folder, "programs"), node: "/node" };
  expect(findOwnPrograms(join(folder, "heddle.cjs"), "/node")).toEqual(found);
  expect(findOwnPrograms(join(folder, "esm", "server", "chunk.js"), "/node")).toEqual(found);
  expect(findOwnPrograms(join(tmpdir(), "nowhere", "a", "b", "c.js"), "/node")).toBeNull();
});

test("come first on PATH, and do not create one", () => {
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

test("are available to commands of the model and of the user", async () => {
  const programs = findOwnPrograms(join(makePackage(), "heddle.cjs"), "/node");
  const bench = openExecBench({ deps: { programs } });
  onTestFinished(() => bench.close());
  const answer = await bench.call("exec_command", { cmd: "sh -c apply_patch", login: false });
  expect(answer).toMatch(/Output:\nours\n$/);
});
